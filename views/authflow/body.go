package authflow

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// The lines of the overlay: a blank column, a column of labels, and text that
// is no wider than what is comfortably read. Narrow screens have no labels'
// column. A URL to be opened takes all of the width.
const (
	labels    = 12
	forLabels = 36
	widest    = 78
)

// painter collects the lines of the overlay.
type painter struct {
	theme  themes.Theme
	in     Input
	width  int
	height int // of what is shown of the lines at once
	lines  []string
	keys   []frame.Spot // in the lines
}

// body adds what belongs to the stage.
func (p *painter) body() {
	switch p.in.Stage {
	case Consent:
		p.warnings()
		p.asks()
		p.parties()
		p.ways()
		p.more()
		p.quote()
	case Working:
		p.progress()
		p.page()
		p.ways()
		p.passed()
		p.warnings()
		p.parties()
	case Failed:
		p.failure()
		p.ways()
		p.parties()
	case Done:
		p.progress()
		p.passed()
		p.parties()
	}
}

// warnings are what has to be seen before all else.
func (p *painter) warnings() {
	for _, w := range p.in.Warnings {
		p.paragraph(p.theme.Warning, safetext.Concat(frame.Own(p.theme.Signs.Alert+" "), w))
	}
}

// asks is who needs access, for what and why.
func (p *painter) asks() {
	p.field("server", p.theme.Strong, p.in.Server)
	p.field("call", p.theme.Text, p.in.Call)
	p.field("why", p.theme.Prompt, p.in.Reason)
	for i, other := range p.in.Also {
		const most = 3
		if i == most {
			p.field("", p.theme.Dim, frame.Own(fmt.Sprintf("and %d more", len(p.in.Also)-most)))
			break
		}
		label := ""
		if i == 0 {
			label = "also for"
		}
		p.field(label, p.theme.Text, other)
	}
}

// ways are how the token can be got, with the keys that go over to them.
func (p *painter) ways() {
	if len(p.in.Ways) == 0 {
		return
	}
	var list []choice
	for _, w := range p.in.Ways {
		if w.Chosen {
			list = append(list, choice{line: frame.Line{}.Add(p.theme.Strong, w.Name)})
		} else {
			list = append(list, choice{w.Key, frame.Line{}.Add(p.theme.Key, w.Key).Gap(1).Add(p.theme.Dim, w.Name)})
		}
	}
	p.choices("by", list)
}

// choice is something to choose with the key that chooses it, empty if it is
// chosen.
type choice struct {
	key  safetext.Text
	line frame.Line
}

// choices puts choices beside each other, as far as they fit.
func (p *painter) choices(label string, list []choice) {
	var line frame.Line
	for _, c := range list {
		if len(line) > 0 && line.Width()+2+c.line.Width() > p.room() {
			p.row(label, line)
			line, label = nil, ""
		}
		if len(line) > 0 {
			line = line.Gap(2)
		}
		if !c.key.Empty() {
			p.keys = append(p.keys, p.spot(label, line.Width(), c))
		}
		line = append(line, c.line...)
	}
	if len(line) > 0 {
		p.row(label, line)
	}
}

// spot is where a choice stands so far behind the label of the next row.
func (p *painter) spot(label string, from int, c choice) frame.Spot {
	row := len(p.lines)
	from++ // the blank column before each line
	switch {
	case p.width >= forLabels:
		from += labels
	case label != "": // which has a line of its own
		row, from = row+1, from+1
	default:
		from++
	}
	return frame.Spot{Row: row, From: from, To: from + c.line.Width(), Key: c.key}
}

// more are the other keys of a consent, which are not for everybody every time.
func (p *painter) more() {
	p.field("kept", p.theme.Dim, p.in.Kept)
	keys := []struct {
		key  safetext.Text
		does string
	}{
		{p.in.Keys.Scopes, "choose scopes"},
		{p.in.Keys.Issuer, "another server"},
		{p.in.Keys.Register, "register again"},
		{p.in.Keys.Decline, "cancel the call"},
		{p.in.Keys.Keep, "keep elsewhere"},
	}
	var list []choice
	for _, k := range keys {
		if !k.key.Empty() {
			list = append(list, choice{k.key, frame.Line{}.Add(p.theme.Key, k.key).Gap(1).Own(p.theme.KeyText, k.does)})
		}
	}
	p.choices("", list)
}

// quote is what the server says. Nobody vouches for it, so each of its lines is
// marked as quoted, and it stands where it pushes nothing else off the screen.
func (p *painter) quote() {
	label := "it says"
	for _, line := range p.quoted(p.in.Description, p.room()) {
		p.row(label, line)
		label = ""
	}
}

// quoted are the lines of what a peer says, each of them marked.
func (p *painter) quoted(text safetext.Text, width int) (lines []frame.Line) {
	if text.Empty() {
		return nil
	}
	mark := p.theme.Frame.Vertical + " "
	for _, line := range text.Wrap(width - len([]rune(mark))) {
		lines = append(lines, frame.Line{}.Own(p.theme.Dim, mark).Add(p.theme.Dim, line))
	}
	return lines
}

// parties are what a token is for, who gets it and who makes it, and how much of
// that is known to be true.
func (p *painter) parties() {
	p.link("token for", p.in.Resource)
	p.site(p.in.ResourceSite)
	p.verdict()
	p.field("goes to", p.theme.Strong, p.in.Host)
	p.link("", p.in.HostURL)
	p.field("", p.theme.Dim, p.in.Receives)
	p.link("sign in at", p.in.Issuer)
	p.site(p.in.IssuerSite)
	for _, origin := range p.in.OtherOrigins {
		p.link("and at", origin)
	}
	for _, issuer := range p.in.OtherIssuers {
		p.link("or at", issuer)
	}
	p.scopes()
	p.field("known as", p.theme.Text, p.in.Client)
	p.field("", p.theme.Dim, p.in.ClientID)
}

// site adds the registrable domain of the URL above, where there is one to tell.
func (p *painter) site(site safetext.Text) {
	if !site.Empty() {
		p.row("", frame.Line{}.Own(p.theme.Dim, "domain ").Add(p.theme.Strong, site.Fit(min(site.Width(), max(0, p.room()-7)))))
	}
}

// verdict is what the resource's own metadata says.
func (p *painter) verdict() {
	var badge themes.Badge
	var words safetext.Text
	switch p.in.Metadata {
	case Unchecked:
		return
	case Verified:
		badge, words = p.theme.Badge(themes.ToolCompleted), safetext.Const("its own metadata says the same")
	case Unavailable:
		badge, words = p.theme.Badge(themes.ServerAuthRequired), safetext.Const("not verified: its own metadata could not be fetched")
	case Contradicts:
		badge, words = p.theme.Badge(themes.ToolFailed), safetext.Const("its own metadata contradicts the host: no token is asked for")
	}
	if !p.in.MetadataNote.Empty() {
		words = safetext.Concat(words, safetext.Const(" ("), p.in.MetadataNote, safetext.Const(")"))
	}
	p.field("", badge.Style, safetext.Concat(frame.Own(badge.Glyph+" "), words))
}

// scopes are what the token is good for.
func (p *painter) scopes() {
	if len(p.in.Scopes) == 0 {
		p.field("scopes", p.theme.Dim, safetext.Const("none are asked for"))
		return
	}
	column := 0
	for _, s := range p.in.Scopes {
		column = max(column, s.Name.Width())
	}
	label := "scopes"
	for _, s := range p.in.Scopes {
		p.scope(label, s, column)
		label = ""
	}
}

// scope is one scope with what is true of it beside it, or below it where there
// is no room.
func (p *painter) scope(label string, s Scope, column int) {
	const gap, least = 2, 32 // as wide as what is true of a scope can be
	asked := "asked"
	if p.in.Stage == Consent {
		asked = "will be asked"
	}
	style := p.theme.Text
	if s.Asked && !s.Held {
		style = p.theme.Warning
	}
	if beside := p.room() - column - gap; beside >= least {
		p.row(label, frame.Line{}.Add(style, s.Name.Fit(column)).Gap(gap).Add(p.theme.Dim, s.words(asked)))
		return
	}
	p.field(label, style, s.Name)
	for _, line := range s.words(asked).Wrap(p.room() - gap) {
		p.row("", frame.Line{}.Gap(gap).Add(p.theme.Dim, line))
	}
}

// words is what is true of a scope; asked is how to say that it is asked for.
func (s Scope) words(asked string) safetext.Text {
	var words []string
	if s.Held {
		words = append(words, "granted")
	}
	if s.Required {
		words = append(words, "required")
	}
	if s.Asked {
		words = append(words, asked)
	}
	if !s.Held && !s.Asked {
		words = append(words, "not asked for")
	}
	return frame.Own(strings.Join(words, ", "))
}

// progress is what is going on.
func (p *painter) progress() {
	badge, style := p.theme.Badge(themes.Connecting), p.theme.Pending
	if p.in.Stage == Done {
		badge, style = p.theme.Badge(themes.ToolCompleted), p.theme.OK
	}
	if text := p.in.Progress; !text.Empty() {
		if !p.in.Since.Empty() {
			text = safetext.Concat(text, safetext.Const("  "), p.in.Since)
		}
		p.paragraph(style, safetext.Concat(frame.Own(badge.Glyph+" "), text))
	}
}

// notice is what a key has just done, in at most so many lines.
func (p *painter) notice(most int) []string {
	n := painter{theme: p.theme, width: p.width}
	n.paragraph(p.theme.OK, p.in.Notice)
	return n.lines[:min(len(n.lines), most)]
}

// passed is what is done already.
func (p *painter) passed() {
	badge := p.theme.Badge(themes.ToolCompleted)
	for _, step := range p.in.Passed {
		p.paragraph(p.theme.Dim, safetext.Concat(frame.Own(badge.Glyph+" "), step))
	}
}

// page is the URL that the person opens, as wide as the screen and with nothing
// beside it, so that it can be copied from there.
func (p *painter) page() {
	if p.in.URL.Text().Empty() {
		return
	}
	p.tunnel()
	p.lead()
	for _, line := range frame.Link(p.theme.Link, p.theme.Link.Bold(true), p.in.URL, p.width) {
		p.lines = append(p.lines, line.Fit(p.width, p.theme.Text))
	}
	p.linkWarnings(p.in.URL)
	switch {
	case p.in.ShowScan:
		p.scan(p.in.Scan)
	case !p.in.UserCode.Empty():
		p.paragraph(p.theme.Text, safetext.Const("and type this code there, only if you began this yourself:"))
		p.code(p.in.UserCode)
	default:
		p.blank()
	}
	p.paragraph(p.theme.Dim, p.in.Until)
}

// tunnel is the command that has to run before the page is opened elsewhere. Like
// a URL it is broken anywhere, with nothing beside it.
func (p *painter) tunnel() {
	if p.in.Tunnel.Empty() || p.width < 1 {
		return
	}
	p.paragraph(p.theme.Text, safetext.Const("For a browser on the machine where you sit, run there first:"))
	for _, line := range strings.Split(ansi.Hardwrap(p.in.Tunnel.String(), p.width, true), "\n") {
		p.lines = append(p.lines, frame.Line{}.Add(p.theme.Link, safetext.Clean(line, p.width)).Fit(p.width, p.theme.Text))
	}
}

// lead says where the page is to be opened.
func (p *painter) lead() {
	words := safetext.Const("No browser? Open this on this machine:")
	switch {
	case !p.in.Tunnel.Empty():
		words = safetext.Const("and open this there:")
	case p.in.Elsewhere:
		words = safetext.Const("Open this on any machine:")
	}
	p.paragraph(p.theme.Text, words)
}

// failure is at which step it failed, why, and what can be done.
func (p *painter) failure() {
	badge := p.theme.Badge(themes.ToolFailed)
	words := safetext.Const("the sign-in failed")
	if !p.in.Failure.Step.Empty() {
		words = safetext.Concat(safetext.Const("failed at: "), p.in.Failure.Step)
	}
	p.paragraph(badge.Style, safetext.Concat(frame.Own(badge.Glyph+" "), words))
	p.paragraph(p.theme.Text, p.in.Failure.Cause)
	p.field("expected", p.theme.Text, p.in.Failure.Expected)
	p.field("received", p.theme.Text, p.in.Failure.Received)
	for _, line := range p.quoted(p.in.Failure.Said, p.inside()) {
		p.put(line)
	}
	p.paragraph(p.theme.Prompt, p.in.Failure.Remedy)
	p.blank()
}

func (p *painter) blank() { p.lines = append(p.lines, strings.Repeat(" ", p.width)) }

// inside is the width of lines that are not a URL to be opened.
func (p *painter) inside() int { return max(0, min(p.width-2, widest)) }

// put adds a line behind the blank column.
func (p *painter) put(line frame.Line) {
	p.lines = append(p.lines, append(frame.Line{}.Gap(1), line...).Fit(p.width, p.theme.Text))
}

// paragraph adds text as wide as there is room.
func (p *painter) paragraph(style lipgloss.Style, text safetext.Text) {
	if text.Empty() {
		return
	}
	for _, line := range text.Wrap(p.inside()) {
		p.put(frame.Line{}.Add(style, line))
	}
}

// room is the width beside the labels.
func (p *painter) room() int {
	if p.width < forLabels {
		return max(0, p.inside()-1)
	}
	return p.inside() - labels
}

// row adds a line beside a label, or below it where there is no room.
func (p *painter) row(label string, line frame.Line) {
	head := frame.Line{}.Own(p.theme.Dim, label)
	if p.width < forLabels {
		if label != "" {
			p.put(head)
		}
		p.put(append(frame.Line{}.Gap(1), line...))
		return
	}
	p.put(append(head.Gap(labels-head.Width()), line...))
}

// field adds text beside a label.
func (p *painter) field(label string, style lipgloss.Style, text safetext.Text) {
	if text.Empty() {
		return
	}
	for _, line := range text.Wrap(p.room()) {
		p.row(label, frame.Line{}.Add(style, line))
		label = ""
	}
}

// link adds a URL beside a label, whole, with its host pointed out.
func (p *painter) link(label string, link safetext.Link) {
	for _, line := range frame.Link(p.theme.Dim, p.theme.Strong, link, p.room()) {
		p.row(label, line)
		label = ""
	}
	p.linkWarnings(link)
}

func (p *painter) linkWarnings(link safetext.Link) {
	for _, words := range link.Warn.Words() {
		p.field("", p.theme.Warning, safetext.Concat(frame.Own(p.theme.Signs.Alert+" "), words))
	}
}
