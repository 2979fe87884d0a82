package keymap

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// typed decodes what a terminal sends for a key.
func typed(t *testing.T, bytes string) tea.KeyPressMsg {
	t.Helper()
	var d uv.EventDecoder
	n, event := d.Decode([]byte(bytes))
	key, ok := event.(uv.KeyPressEvent)
	if !ok || n != len(bytes) {
		t.Fatalf("%q is no key but %T", bytes, event)
	}
	return tea.KeyPressMsg(key)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		bytes string
		in    Context
		want  ID
	}{
		{"i", Sessions, ComposerFocus},
		{"i", Composer, ""},
		{"\x1b", Composer, ComposerLeave},
		{"\r", Composer, ComposerSend},
		{"\n", Composer, ComposerNewline},
		{"\x1b\r", Composer, ComposerNewline},
		{"\x1b[13;2u", Composer, ComposerNewline},
		{"\r", Sessions, SessionOpen},
		{"\r", Transcript, DetailToggle},
		{"\r", Servers, ServerDetail},
		{"\r", Form, OverlayAccept},
		{"s", Servers, ServerStart},
		{"S", Servers, ServerStop},
		{"s", Sessions, SessionSort},
		{"s", Transcript, AgentOpen},
		{"e", Servers, ServerToggle},
		{"y", Transcript, CallApprove},
		{"d", Transcript, CallDeny},
		{"y", Sessions, ""},
		{"y", Composer, ""},
		{"7", Transcript, CallOption},
		{"\t", Sessions, PanelNext},
		{"\t", Overlay, OverlayNext},
		{"\x1b[Z", Servers, PanelPrevious},
		{"\x1b[A", Transcript, MoveUp},
		{"j", Overlay, MoveDown},
		{"j", Form, ""},
		{"\x1b[5~", Composer, PageUp},
		{"\x15", Transcript, HalfUp},
		{"\x15", Composer, ""},
		{"G", Transcript, MoveBottom},
		{"\x07", Composer, BlockNewest},
		{"\x07", Transcript, BlockNewest},
		{"a", Servers, BlockNext},
		{"x", Transcript, TurnCancel},
		{"x", Composer, ""},
		{"\x18", Composer, TurnCancel},
		{"q", Transcript, AppQuit},
		{"q", Composer, ""},
		{"q", Overlay, OverlayClose},
		{"q", Form, ""},
		{"?", Servers, AppHelp},
		{"?", Composer, ""},
		{"\x1bOP", Composer, AppHelp},
		{"\x03", Form, AppInterrupt},
		{"\x03", Composer, AppInterrupt},
		{" ", Transcript, DetailToggle},
		{" ", Composer, ""},
		{"\x1b[1099::115u", Servers, ServerStart}, // the s key of a Russian keyboard
		{"\x1b[1099u", Servers, ""},
		{"é", Servers, ""},
		{"Z", Everywhere, ""},
	}
	m := Default()
	for _, tt := range tests {
		got, ok := m.Match(typed(t, tt.bytes), tt.in)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q in %b does %q, %v, want %q", tt.bytes, tt.in, got, ok, tt.want)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	m := Default()
	for key, want := range map[string]int{"1": 0, "9": 8, "0": -1, "y": -1} {
		if got := m.Index(typed(t, key), CallOption); got != want {
			t.Errorf("Index(%s) = %d, want %d", key, got, want)
		}
	}
	if got := m.Index(typed(t, "1"), "no.such"); got != -1 {
		t.Errorf("Index of an unknown ID = %d", got)
	}
}

// The defaults are what New would accept from a person.
func TestDefaultsAreInOrder(t *testing.T) {
	t.Parallel()
	o := overlay{bindings: defaults(), changed: map[ID]bool{}}
	if a, b, key, found := o.conflict(); found {
		t.Errorf("%s does both %s and %s", key, a.ID, b.ID)
	}
	seen := map[ID]bool{}
	for _, b := range defaults() {
		if seen[b.ID] {
			t.Errorf("%s is there twice", b.ID)
		}
		seen[b.ID] = true
		if b.In == 0 || b.Hint&^b.In != 0 || !slices.Contains(Groups(), b.Group) || b.Short == "" || b.Long == "" || !b.Bound() {
			t.Errorf("%s is not complete: %+v", b.ID, b)
		}
		for _, key := range b.Keys {
			if parsed, err := parseKey(key); parsed != key || err != nil {
				t.Errorf("%s: %s is spelled %q, %v", b.ID, key, parsed, err)
			}
		}
		if err := reachable(b.Keys[0]); err != nil {
			t.Errorf("%s: the first key, %s, %v", b.ID, b.Keys[0], err)
		}
	}
}

// Whatever has the keyboard, there is a way out and a way to the help.
func TestThereIsAlwaysAWayOut(t *testing.T) {
	t.Parallel()
	for _, in := range places() {
		ways := map[string]ID{"\x03": AppInterrupt, "\x1bOP": AppHelp}
		if in == TerminalInput { // there these keys are the terminal's, and so is every other one
			ways = map[string]ID{"\x1d": TerminalLeave, "\x03": "", "\x1bOP": "", "\x1b": "", "q": "", "\x07": ""}
		}
		for bytes, want := range ways {
			if got, _ := Default().Match(typed(t, bytes), in); got != want {
				t.Errorf("%q in %b does %q, want %q", bytes, in, got, want)
			}
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	show := func(in Context) string {
		var parts []string
		for _, b := range Default().Hints(in) {
			parts = append(parts, b.Label(false)+" "+b.Short)
		}
		return strings.Join(parts, "  ")
	}
	for in, want := range map[Context]string{
		Sessions:   "i write  ⏎ open  n new  / filter  tab panel  a next blocked  : commands  ? help",
		Transcript: "i write  ⏎ details  x cancel  tab panel  a next blocked  : commands  ? help  / search  c copy",
		Servers:    "i write  s start  S stop  r restart  e on/off  ⏎ details  tab panel  a next blocked  : commands  ? help",
		Composer:   "⏎ send  ctrl+j new line  esc back  ctrl+g newest blocked  ctrl+s steer  tab complete  ctrl+o attach",
		Overlay:    "⏎ accept  esc close",
		Form:       "⏎ accept  tab next field  esc close",

		Changes:       "i write  ⏎ diff  space reviewed  ] next change  o stage…  esc back  tab panel  a next blocked  : commands  ? help",
		Terminals:     "i type  n new  D end  esc back  tab panel  a next blocked  : commands  ? help",
		TerminalInput: "ctrl+] leave the terminal  shift+pgup scroll back",
	} {
		if got := show(in); got != want {
			t.Errorf("the footer in %b is\n     %s\nwant %s", in, got, want)
		}
	}
}

func TestHelpHasEverything(t *testing.T) {
	t.Parallel()
	m, _ := New(Vim, map[string][]string{"server.restart": {}})
	seen := map[ID]Binding{}
	for _, s := range m.Help(Everywhere) {
		for _, b := range s.Bindings {
			seen[b.ID] = b
		}
	}
	if len(seen) != len(defaults()) {
		t.Errorf("the help has %d of %d", len(seen), len(defaults()))
	}
	if b := seen[ServerRestart]; b.Bound() || b.Label(true) != "" || b.Labels(true) != "" {
		t.Errorf("an unbound one is %+v", b)
	}
	for _, s := range m.Help(Composer) {
		if s.Group == GroupServer {
			t.Error("the help of the composer speaks of servers")
		}
	}
	for _, b := range m.Hints(Servers) {
		if b.ID == ServerRestart {
			t.Error("the footer names an unbound one")
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	m := Default()
	for _, tt := range []struct {
		id          ID
		want, ascii string
	}{
		{MoveUp, "k ↑", "k up"},
		{CallOption, "1-9", "1-9"},
		{ComposerNewline, "ctrl+j alt+enter shift+enter", "ctrl+j alt+enter shift+enter"},
		{SessionOpen, "⏎", "enter"},
	} {
		b := m.Binding(tt.id)
		if got := b.Labels(false); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.id, got, tt.want)
		}
		if got := b.Labels(true); got != tt.ascii {
			t.Errorf("%s in ASCII: %q, want %q", tt.id, got, tt.ascii)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	m := Default()
	msg := tea.KeyPressMsg{Text: "j", Code: 'j'}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := m.Match(msg, Transcript); !ok {
			b.Fatal("j does nothing")
		}
	}
}

// TestPress: every key of the table is pressed by its name and by each of its
// labels, and what is no key's name is not.
func TestPress(t *testing.T) {
	t.Parallel()
	for _, b := range defaults() {
		for _, key := range append([]string{"shift+a", "f20", "alt+x", "ctrl+space"}, b.Keys...) {
			want, err := parseKey(key)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{key, label(key, false), label(key, true)} {
				if msg, err := Press(name); err != nil || spell(msg) != want {
					t.Errorf("%q is the press of %q, want %q (%v)", name, spell(msg), want, err)
				}
			}
		}
	}
	for _, name := range []string{"", "more", "(no key)", "new session"} {
		if msg, err := Press(name); err == nil {
			t.Errorf("%q is the press of %q", name, spell(msg))
		}
	}
}
