package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/config"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/status"
)

// saveAfter is how long after the first change what is written is kept on disk: so
// much is lost at most when the program is killed.
const saveAfter = 400 * time.Millisecond

// keeper keeps on disk what is written and not sent.
type keeper struct {
	stamp   keepStamp
	armed   bool // a save is about to begin
	busy    bool // one is under way
	loaded  bool // what was kept before is here; else it would be overwritten
	saved   map[config.DraftKey]written
	strays  []protocol.URI // places that were kept and may be gone
	err     error          // why nothing is kept, nil if it is
	told    bool           // of that
	leaving bool           // the person leaves as soon as all is kept
}

// keepStamp is what has to be kept depends on.
type keepStamp struct {
	text    string
	place   protocol.URI
	changes int
}

// saveMsg says that it is time to keep what was written.
type saveMsg struct{}

// savedMsg tells what became of that.
type savedMsg struct {
	saved   map[config.DraftKey]written
	dropped int
	err     error
}

// draftsMsg brings what was kept.
type draftsMsg struct {
	drafts []keptDraft
	lost   []string // why attachments could not be read again
	err    error
}

type keptDraft struct {
	config.DraftKey
	session protocol.URI
	written
}

// keptRest is the form in which what goes with a text is kept.
type keptRest struct {
	Files []keptFile        `json:"files,omitzero"`
	As    *protocol.Message `json:"as,omitzero"`
}

// keptFile is an attachment. The content of a file of this machine is not kept, but
// where it is.
type keptFile struct {
	Attachment *protocol.MessageAttachment `json:"attachment"`
	Word       string                      `json:"word,omitzero"`
	Path       string                      `json:"path,omitzero"`
}

// keeps reports whether drafts of this host are kept on disk.
func (m *Model) keeps() bool { return m.opts.Drafts != nil && m.conn != nil && m.conn.KeepAs != "" }

// lookForDrafts reads what was kept for this host.
func (m *Model) lookForDrafts() tea.Cmd {
	if !m.keeps() {
		return nil
	}
	file, host := m.opts.Drafts, m.conn.KeepAs
	return m.link.do(func(context.Context) tea.Msg { return keptFor(host, file) })
}

// keptFor is what was kept for a host.
func keptFor(host string, file *config.Drafts) draftsMsg {
	list, err := file.Load(host)
	msg := draftsMsg{err: err}
	for _, d := range list {
		w, lost := restored(d)
		msg.drafts = append(msg.drafts, keptDraft{d.DraftKey, protocol.URI(d.Session), w})
		msg.lost = append(msg.lost, lost...)
	}
	return msg
}

// restored is a message as it was kept. Files are read again; lost says which of
// them cannot be.
func restored(d config.Draft) (w written, lost []string) {
	w.text = d.Text
	var rest keptRest
	if d.Rest != nil && protocol.Unmarshal(d.Rest, &rest) != nil {
		return w, []string{"what was attached to a message that you wrote could not be read"}
	}
	w.as = rest.As
	for _, f := range rest.Files[:min(len(rest.Files), maxFiles)] {
		a := attachment{MessageAttachment: f.Attachment, word: f.Word}
		if f.Path != "" {
			var err error
			if a, err = readFile(f.Path); err != nil {
				lost = append(lost, f.Path+" does not go with what you wrote any more: "+err.Error())
				continue
			}
			a.word = f.Word
		}
		if a.MessageAttachment != nil {
			w.files = append(w.files, a)
		}
	}
	return w, lost
}

// draftsFound puts what was kept where it belongs.
func (m *Model) draftsFound(msg draftsMsg) {
	m.keeper.loaded = true
	if msg.err != nil {
		m.cannotKeep(msg.err)
		return
	}
	for _, words := range msg.lost {
		m.tell(status.Warning, words)
	}
	k := &m.keeper
	k.saved = map[config.DraftKey]written{}
	slices.SortStableFunc(msg.drafts, func(a, b keptDraft) int { // what was sent stands above what was written since
		return cmp.Compare(min(len(b.ID), 1), min(len(a.ID), 1))
	})
	for _, d := range msg.drafts {
		k.saved[d.DraftKey] = d.written
		place := protocol.URI(d.Chat)
		if place == "" {
			m.drafts.loose = append(m.drafts.loose, loose{d.ID, d.written})
			continue
		}
		m.drafts.keep(place, joined(m.drafts.kept[place], d.written))
		m.shared(place).settled = m.drafts.kept[place].open()
		if d.session != "" {
			m.drafts.belongs(place, d.session)
			k.strays = append(k.strays, place)
		}
		if d.ID != "" {
			m.drafts.lookFor(returned{place, d.ID, d.written})
		}
	}
	if !m.drafts.kept[m.current.place()].empty() {
		m.loadDraft()
		m.notices.add(m.clock.now, status.Info, safetext.Const("this was written before and not sent"))
	}
	m.takeBackReturned()
	m.loosenStrays()
}

// loosenStrays gives up the places that the host does not have any more.
func (m *Model) loosenStrays() {
	k := &m.keeper
	if len(k.strays) == 0 || !m.view.Listed || m.view.ListErr != nil {
		return
	}
	for _, place := range k.strays {
		session := m.drafts.sessions[place]
		if m.catalogue.byURI[session] == nil && m.view.Channels[session] == nil && place != m.current.place() {
			m.loosen(place, written{})
		}
	}
	k.strays = nil
}

// cannotKeep tells, once, why what is written is not kept.
func (m *Model) cannotKeep(err error) {
	m.keeper.err = err
	if !m.keeper.told {
		m.tell(status.Warning, "what you write is not kept on disk: "+err.Error())
	}
	m.keeper.told = true
}

// watchWriting sees to it that what is written is kept on disk in a moment.
func (m *Model) watchWriting() tea.Cmd {
	k := &m.keeper
	stamp := keepStamp{m.composer.Value(), m.current.place(), m.drafts.changes}
	if !m.keeps() || !k.loaded || k.stamp == stamp {
		return nil
	}
	k.stamp = stamp
	if k.armed {
		return nil
	}
	k.armed = true
	return m.link.after(saveAfter, nil, saveMsg{})
}

// save writes what has changed.
func (m *Model) save() tea.Cmd {
	k := &m.keeper
	k.armed = false
	if k.busy { // it is looked at again when that has ended
		k.stamp = keepStamp{}
		return nil
	}
	all := m.allUnsent()
	set, gone := m.changedSince(k.saved, all)
	if len(set)+len(gone) == 0 {
		return nil
	}
	k.busy = true
	file := m.opts.Drafts
	return m.link.do(func(context.Context) tea.Msg {
		dropped, err := file.Change(set, gone)
		return savedMsg{all, dropped, err}
	})
}

// saveEnded notes what became of a save.
func (m *Model) saveEnded(msg savedMsg) tea.Cmd {
	k := &m.keeper
	k.busy = false
	switch {
	case msg.err != nil:
		m.cannotKeep(msg.err)
	case msg.dropped > 0:
		m.tell(status.Warning, fmt.Sprintf("%d old messages that were never sent are not kept any more: there are too many", msg.dropped))
		fallthrough
	default:
		k.saved, k.err, k.told = msg.saved, nil, false
	}
	if k.leaving {
		k.leaving = false
		return m.leave()
	}
	return nil
}

// allUnsent is all that is written and not sent, and what was sent and perhaps not
// received.
func (m *Model) allUnsent() map[config.DraftKey]written {
	all := map[config.DraftKey]written{}
	add := func(chat protocol.URI, id string, w written) {
		if !w.empty() {
			all[config.DraftKey{Host: m.conn.KeepAs, Chat: string(chat), ID: id}] = w
		}
	}
	for place, w := range m.drafts.kept {
		add(place, "", w)
	}
	for _, l := range m.drafts.loose {
		add("", l.id, l.written)
	}
	for _, a := range m.asked {
		add(a.ticket.Channel, a.id, a.message)
	}
	add(m.current.place(), "", joined(m.unsent(), m.drafts.kept[m.current.place()]))
	return all
}

// changedSince is what is other now than it was kept, and what is gone.
func (m *Model) changedSince(saved, all map[config.DraftKey]written) (set []config.Draft, gone []config.DraftKey) {
	for key, w := range all {
		if before, ok := saved[key]; !ok || !w.same(before) {
			session := m.drafts.sessions[protocol.URI(key.Chat)]
			set = append(set, config.Draft{DraftKey: key, Session: string(session), Text: w.text, Rest: w.rest(), At: m.clock.now})
		}
	}
	for key := range saved {
		if _, ok := all[key]; !ok {
			gone = append(gone, key)
		}
	}
	slices.SortFunc(set, func(a, b config.Draft) int { return strings.Compare(a.Chat+" "+a.ID, b.Chat+" "+b.ID) })
	return set, gone
}

// maxRest bounds what is kept of attachments, in bytes.
const maxRest = 1 << 20

// rest is what goes with the text, as it is kept.
func (w written) rest() protocol.Raw {
	rest := keptRest{As: w.as}
	for _, f := range w.files {
		kept := *f.MessageAttachment
		if f.path != "" {
			kept.Data = ""
		}
		rest.Files = append(rest.Files, keptFile{&kept, f.word, f.path})
	}
	if rest.As == nil && rest.Files == nil {
		return nil
	}
	data, err := protocol.Marshal(&rest)
	if err != nil || len(data) > maxRest {
		return nil // the text is what matters
	}
	return data
}

// flush keeps what is not kept yet, after the program has ended.
func (m *Model) flush() error {
	if !m.keeps() || errors.Is(m.keeper.err, config.ErrNewer) {
		return nil
	}
	if !m.keeper.loaded {
		m.draftsFound(keptFor(m.conn.KeepAs, m.opts.Drafts))
	}
	set, gone := m.changedSince(m.keeper.saved, m.allUnsent())
	if len(set)+len(gone) == 0 {
		return nil
	}
	_, err := m.opts.Drafts.Change(set, gone)
	return err
}
