package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ahptui/config"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/viewtest"
)

// driver drives a model as the program does, one message after the other, and
// draws after each.
type driver struct {
	t      testing.TB
	m      *Model
	host   *fakeHost
	frame  tea.View
	quit   bool
	clock  time.Time      // of a driver without commands
	drafts *config.Drafts // nil: none are kept
	answer chan tea.Msg   // what commands bring; nil: commands are left out
}

// options are those of the tests.
func options(theme themes.Theme) Options {
	return Options{
		Keys: keymap.Default(), Theme: theme, Directory: "/home/u/app",
		FileURI: func(dir string) (protocol.URI, error) {
			if !strings.HasPrefix(dir, "/") {
				return "", errors.New("a directory has to begin with /")
			}
			return protocol.URI("file://" + dir), nil
		},
	}
}

// newDriver drives a model on a host, or on the start screen if host is nil.
// Commands are left out; time stands still but for pass.
func newDriver(t testing.TB, theme themes.Theme, size viewtest.Size, host func(now func() time.Time) *fakeHost) *driver {
	t.Helper()
	d := &driver{t: t, clock: began}
	d.start(theme, size, host, func() time.Time { return d.clock })
	return d
}

// inBubble runs a test in which commands run, with the time of the bubble.
func inBubble(t *testing.T, size viewtest.Size, host func(now func() time.Time) *fakeHost, f func(t *testing.T, d *driver)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(began))
		d := &driver{t: t, answer: make(chan tea.Msg, 1000)}
		d.start(viewtest.Plain(t), size, host, time.Now)
		f(t, d)
	})
}

func (d *driver) start(theme themes.Theme, size viewtest.Size, host func(now func() time.Time) *fakeHost, now func() time.Time) {
	ctx, stop := context.WithCancelCause(context.Background())
	link := newBridge(ctx, stop)
	opts := options(theme)
	if host != nil {
		d.host = host(now)
		opts.Connection = &Connection{Host: d.host, Name: "ws://127.0.0.1:1", KeepAs: "ws://127.0.0.1:1/"}
		opts.Drafts = d.drafts
	}
	d.m = newModel(opts, link)
	d.m.wall = now
	link.send = func(msg tea.Msg) {
		select {
		case d.answer <- msg:
		case <-ctx.Done():
		}
	}
	if host != nil {
		d.m.conn, d.m.feed = opts.Connection, &feed{host: d.host}
	}
	d.t.Cleanup(func() {
		stop(nil)
		link.close()
	})
	d.send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
	if host != nil {
		d.do(d.m.lookForDrafts())
		d.look()
	}
}

// send is what the program does with a message.
func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.frame = d.m.View()
	d.do(cmd)
}

// do runs a command in a goroutine, as the program does.
func (d *driver) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if d.answer == nil {
		d.quit = d.quit || d.m.leaving
		return
	}
	go func() { d.answer <- cmd() }()
}

// look hands over the newest view, until it leads to no newer one.
func (d *driver) look() {
	for range 5 {
		shot, _ := d.m.feed.latest()
		seen := d.m.view
		d.send(viewMsg{shot})
		if d.m.view == seen {
			return
		}
	}
}

// settle takes what commands have brought by now.
func (d *driver) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-d.answer:
			d.take(msg)
		default:
			return
		}
	}
}

func (d *driver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.do(cmd)
		}
	default:
		d.send(msg)
	}
}

// pass lets time pass.
func (d *driver) pass(by time.Duration) {
	if d.answer == nil {
		d.clock = d.clock.Add(by)
		if at := d.m.clock.next; !at.IsZero() && !d.clock.Before(at) {
			d.send(tickMsg{})
		}
		return
	}
	timer := time.NewTimer(by)
	for {
		d.settle()
		select {
		case msg := <-d.answer:
			d.take(msg)
		case <-timer.C:
			d.settle()
			return
		}
	}
}

// key presses keys by their names.
func (d *driver) key(names ...string) {
	for _, name := range names {
		d.send(keyPress(d.t, name))
	}
	if d.answer != nil {
		d.settle()
	}
}

// write types text, one character at a time.
func (d *driver) write(text string) {
	for _, r := range text {
		d.key(string(r))
	}
}

func (d *driver) paste(text string) { d.send(tea.PasteMsg{Content: text}) }

// keyPress is the key of a name.
func keyPress(t testing.TB, name string) tea.KeyPressMsg {
	t.Helper()
	var key tea.Key
	base := name
	for _, mod := range []struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(base, mod.name); ok && rest != "" {
			base, key.Mod = rest, key.Mod|mod.mod
		}
	}
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1,
		"backspace": tea.KeyBackspace, "space": tea.KeySpace,
	}
	switch code, named := codes[base]; {
	case base == "space":
		key.Code, key.Text = code, " "
	case named:
		key.Code = code
	case utf8.RuneCountInString(base) == 1:
		key.Code, _ = utf8.DecodeRuneInString(base)
		if key.Mod == 0 {
			key.Text = base
		}
	default:
		t.Fatalf("no key %q", name)
	}
	return tea.KeyPressMsg(key)
}

// screen is the text of the last frame.
func (d *driver) screen() string { return viewtest.Text(d.frame.Content) }

// sees fails the test unless all texts are on the screen.
func (d *driver) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.screen(), text) {
			d.t.Fatalf("the screen lacks %q:\n%s", text, d.screen())
		}
	}
}

// lacks fails the test if one of the texts is on the screen.
func (d *driver) lacks(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if strings.Contains(d.screen(), text) {
			d.t.Fatalf("the screen has %q:\n%s", text, d.screen())
		}
	}
}

// focused fails the test unless a place has the keyboard.
func (d *driver) focused(want keymap.Context) {
	d.t.Helper()
	if got := d.m.place(); got != want {
		d.t.Fatalf("the keyboard is in %d, want %d:\n%s", got, want, d.screen())
	}
}

// asks fails the test unless the last thing that was asked of the host is an
// action of type T, and nothing else was since there were so many.
func asks[T protocol.Action](d *driver, before int) T {
	d.t.Helper()
	if n := d.host.count(); n != before+1 {
		d.t.Fatalf("%d requests, want %d:\n%s", n, before+1, d.screen())
	}
	a, ok := d.host.last().Action.(T)
	if !ok {
		d.t.Fatalf("asked for %T", d.host.last().Action)
	}
	return a
}
