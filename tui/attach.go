package tui

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// attachedMsg brings a file that was read, or why it was not.
type attachedMsg struct {
	form  *attachForm // that asked for it; nil: it was named in the text
	place protocol.URI
	name  string // as it was typed
	file  attachment
	err   error
}

// attach reads a file that is to go with the message. One with a word goes along
// as long as that is in the text.
func (m *Model) attach(form *attachForm, name, word string) tea.Cmd {
	place, path := m.current.place(), located(name, m.opts.Directory)
	return m.link.do(func(context.Context) tea.Msg {
		file, err := readFile(path)
		file.word = word
		return attachedMsg{form, place, name, file, err}
	})
}

// attached takes a file that was read. A name in the text that is of no file is
// only text.
func (m *Model) attached(msg attachedMsg) {
	if msg.form != nil {
		msg.form.attached(m, msg)
		return
	}
	switch err := m.addFile(msg); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		m.tell(status.Warning, msg.name+" does not go along as a file: "+err.Error())
	}
}

// addFile puts a file to the message that it was read for.
func (m *Model) addFile(msg attachedMsg) error {
	if msg.err != nil {
		return msg.err
	}
	here := msg.place == m.current.place()
	w := m.drafts.kept[msg.place]
	if here {
		w = m.written()
	}
	all := msg.file.size
	files, _ := w.live()
	for _, f := range files {
		if msg.file.path != "" && f.path == msg.file.path && f.word == msg.file.word {
			return nil
		}
		all += f.size
	}
	switch {
	case msg.file.word != "" && find(w.text, msg.file.word, 0) < 0: // it was sent, or changed, meanwhile
		return nil
	case len(files) >= maxFiles:
		return errors.New("so many files cannot go with one message")
	case all > maxAllBytes:
		return errors.New("together with the others " + tooLarge(maxAllBytes).Error())
	}
	w.files = append(w.files[:len(w.files):len(w.files)], msg.file)
	if here {
		m.writing.files = w.files
		m.drafts.changes++
	} else {
		m.drafts.keep(msg.place, w)
	}
	return nil
}

// detach takes the last attachment off; it reports whether there was one.
func (m *Model) detach() bool {
	files, _ := m.written().live()
	if len(files) == 0 {
		return false
	}
	m.writing.files = files[:len(files)-1]
	m.drafts.changes++
	m.notices.hint(m.clock.now, own(files[len(files)-1].Label+" does not go along any more"))
	return true
}

// chips are what the composer shows of the attachments.
func (m *Model) chips() []composer.Chip {
	if len(m.writing.files) == 0 {
		return nil
	}
	files, _ := m.written().live()
	chips := make([]composer.Chip, len(files))
	for i, f := range files {
		chips[i] = composer.Chip{Name: clean(f.Label), Note: own(f.note())}
	}
	return chips
}

// note is what there is to know of an attachment beside its name.
func (a attachment) note() string {
	switch {
	case a.size > 0 || a.path != "":
		return sizeOf(a.size)
	case a.SizeHint != nil && *a.SizeHint >= 0 && *a.SizeHint < 1<<50:
		return sizeOf(int(*a.SizeHint))
	}
	return a.DisplayKind
}

// pasteInto puts pasted text into the composer. If it names a file of this machine,
// as @path, that goes along.
func (m *Model) pasteInto(msg tea.PasteMsg) tea.Cmd {
	const maxPath = 4096
	m.composer.Update(msg)
	m.drafts.changes++
	word := strings.TrimSpace(msg.Content)
	name, ok := strings.CutPrefix(word, "@")
	if !ok || name == "" || len(name) > maxPath || strings.ContainsAny(name, "\r\n\t") {
		return m.suggest()
	}
	return m.attach(nil, name, word)
}

// attachForm asks for a file.
type attachForm struct {
	view    *prompt.Ask
	text    []safetext.Text // what the path may become
	failure safetext.Text
}

func newAttachForm(m *Model) *attachForm {
	return &attachForm{view: prompt.NewAsk(m.theme, m.keys, m.opts.ASCII, "", false)}
}

func (o *attachForm) context() keymap.Context { return keymap.Form }

func (o *attachForm) update(m *Model, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		if id, _ := m.keys.Match(key, keymap.Form); id == keymap.OverlayNext {
			return o.complete(m)
		}
	}
	switch o.view.Update(msg) {
	case prompt.Cancel:
		m.remove(o)
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Submit:
		o.failure = safetext.Text{}
		return m.attach(o, o.view.Value(0), "")
	case prompt.Nothing:
		o.text, o.failure = nil, safetext.Text{}
	}
	return nil
}

// attached closes the form once its file goes along.
func (o *attachForm) attached(m *Model, msg attachedMsg) {
	if !slices.Contains(m.overlays, overlay(o)) {
		return // the person gave it up
	}
	if err := m.addFile(msg); err != nil {
		o.failure = own(err.Error())
		return
	}
	m.remove(o)
	m.setFocus(keymap.Composer)
}

// pathsMsg brings what a path may become.
type pathsMsg struct {
	form  *attachForm
	typed string
	paths []string
	err   error
}

// complete looks for what the path may become.
func (o *attachForm) complete(m *Model) tea.Cmd {
	typed, dir := o.view.Value(0), m.opts.Directory
	return m.link.do(func(context.Context) tea.Msg {
		paths, err := pathsLike(typed, dir)
		return pathsMsg{o, typed, paths, err}
	})
}

// completed completes the path as far as there is no choice, and shows the choice.
// What was typed meanwhile stays.
func (o *attachForm) completed(msg pathsMsg) {
	if o.view.Value(0) != msg.typed {
		return
	}
	o.text, o.failure = nil, safetext.Text{}
	switch {
	case msg.err != nil:
		o.failure = own(msg.err.Error())
		return
	case len(msg.paths) == 0:
		o.failure = safetext.Const("no file here begins like this")
		return
	}
	if full := common(msg.paths); len(full) > len(msg.typed) {
		o.view.SetValue(0, full)
	}
	if len(msg.paths) > 1 {
		names := make([]string, len(msg.paths))
		for i, path := range msg.paths {
			dir := strings.TrimSuffix(path, "/")
			names[i] = path[strings.LastIndexByte(dir, '/')+1:]
		}
		o.text = []safetext.Text{own(strings.Join(names, "  "))}
	}
}

func (o *attachForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	in := prompt.AskInput{
		Title: safetext.Const("Attach a file"), Labels: []string{"file (" + m.keyName(keymap.OverlayNext).String() + " completes it)"},
		Text: o.text, Failure: o.failure, Submit: "attach",
	}
	return m.placed(screen, o.view.View(in), o.view.Cursor())
}
