package keymap

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNew(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		changes  map[string][]string
		id       ID
		keys     []string
		problems []string // a part of each
	}{
		{"nothing", nil, ServerStart, []string{"s"}, nil},
		{"other key", map[string][]string{"server.start": {"f5"}}, ServerStart, []string{"f5"}, nil},
		{"unbound", map[string][]string{"server.stop": {}}, ServerStop, []string{}, nil},
		{
			"spelled otherwise",
			map[string][]string{"server.stop": {"Ctrl+Alt+S", "shift+z", "PageDown", "Escape"}},
			ServerStop,
			[]string{"S"},
			[]string{"pgdown is page.down already"},
		},
		{
			"spelled otherwise, free",
			map[string][]string{"server.stop": {"ALT+ctrl+S", "shift+z", "F12", "Escape", "Z"}, "turn.escape": {}},
			ServerStop,
			[]string{"ctrl+alt+s", "Z", "f12", "esc"},
			nil,
		},
		{"swapped", map[string][]string{"server.start": {"S"}, "server.stop": {"s"}}, ServerStop, []string{"s"}, nil},
		{"taken", map[string][]string{"server.start": {"S"}}, ServerStart, []string{"s"}, []string{"S is server.stop already"}},
		{"taken by a general one", map[string][]string{"server.start": {"a"}}, ServerStart, []string{"s"}, []string{"a is block.next already"}},
		{"free in another place", map[string][]string{"session.open": {"enter", "y"}}, SessionOpen, []string{"enter", "y"}, nil},
		{"two want one", map[string][]string{"server.start": {"t"}, "server.stop": {"t"}}, ServerStop, []string{"S"}, []string{"t is server.start already"}},
		{
			"its own key was given away",
			map[string][]string{"server.start": {"S", "a"}, "server.stop": {"s"}},
			ServerStop,
			[]string{"S"},
			[]string{"a is block.next already", "s is server.start already"},
		},
		{"no such name", map[string][]string{"sever.start": {"t"}}, ServerStart, []string{"s"}, []string{"did you mean server.start"}},
		{"nearly a name", map[string][]string{"composer.sent": {"t"}}, ComposerSend, []string{"enter"}, []string{"did you mean composer.send?"}},
		{"no such key", map[string][]string{"server.start": {"hyperspace"}}, ServerStart, []string{"s"}, []string{`"hyperspace" is no key`}},
		{"no such modifier", map[string][]string{"server.start": {"strg+s"}}, ServerStart, []string{"s"}, []string{`"strg" is no modifier`}},
		{"no key", map[string][]string{"server.start": {""}}, ServerStart, []string{"s"}, []string{`"" is no key`}},
		{"tab", map[string][]string{"server.start": {"ctrl+i"}}, ServerStart, []string{"s"}, []string{"same byte for ctrl+i and tab"}},
		{"enter", map[string][]string{"server.start": {"ctrl+m"}}, ServerStart, []string{"s"}, []string{"same byte for ctrl+m and enter"}},
		{"esc", map[string][]string{"server.start": {"ctrl+["}}, ServerStart, []string{"s"}, []string{"same byte for ctrl+[ and esc"}},
		{"backspace", map[string][]string{"server.start": {"ctrl+h"}}, ServerStart, []string{"s"}, []string{"backspace"}},
		{"shift of a sign", map[string][]string{"server.start": {"shift+1"}}, ServerStart, []string{"s"}, []string{"depends on the keyboard"}},
		{"not on every terminal", map[string][]string{"server.start": {"ctrl+enter"}}, ServerStart, []string{"ctrl+enter"}, []string{"Kitty"}},
		{"text in the composer", map[string][]string{"composer.send": {"t"}}, ComposerSend, []string{"enter"}, []string{"t is text where this counts"}},
		{"the way out of a terminal", map[string][]string{"terminal.leave": {}}, TerminalLeave, []string{"ctrl+]"}, []string{"the only way out"}},
		{"the way out, another key", map[string][]string{"terminal.leave": {"f10"}}, TerminalLeave, []string{"f10"}, nil},
		{"the way out", map[string][]string{"app.interrupt": {"f10"}}, AppInterrupt, []string{"ctrl+c"}, []string{"cannot be changed"}},
		{"the key of the way out", map[string][]string{"server.stop": {"ctrl+c"}}, ServerStop, []string{"S"}, []string{"ctrl+c is app.interrupt already"}},
		{"plus", map[string][]string{"server.start": {"+", "ctrl++"}, "panel.wider": {"f9"}}, ServerStart, []string{"+", "ctrl++"}, []string{"Kitty"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, problems := New(Vim, tt.changes)
			if got := m.Binding(tt.id).Keys; !slices.Equal(got, tt.keys) {
				t.Errorf("the keys are %q, want %q", got, tt.keys)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("problems: %v, want %q", problems, tt.problems)
			}
			for i, p := range problems {
				if !strings.Contains(p.String(), tt.problems[i]) {
					t.Errorf("problem %q, want %q", p, tt.problems[i])
				}
			}
		})
	}
}

// Whatever a person writes, there is a map without conflicts, with all that
// there is to do, and every change is in it or reported.
func TestNewProperties(t *testing.T) {
	t.Parallel()
	ids, keys := []string{"no.such"}, []string{"t", "f7", "ctrl+t", "ctrl+i", "junk+x", "shift+x", "ctrl+enter"}
	for _, b := range defaults() {
		ids = append(ids, string(b.ID))
		keys = append(keys, b.Keys...)
	}
	rapid.Check(t, func(t *rapid.T) {
		changes := rapid.MapOf(rapid.SampledFrom(ids), rapid.SliceOfN(rapid.SampledFrom(keys), 0, 3)).Draw(t, "changes")
		m, problems := New(rapid.SampledFrom(Presets()).Draw(t, "preset"), changes)
		o := overlay{bindings: m.bindings}
		if a, b, key, found := o.conflict(); found {
			t.Fatalf("%s does both %s and %s", key, a.ID, b.ID)
		}
		if len(m.bindings) != len(defaults()) {
			t.Fatalf("%d of %d are left", len(m.bindings), len(defaults()))
		}
		reported := map[ID]bool{}
		for _, p := range problems {
			reported[p.ID] = reported[p.ID] || !p.Applied
		}
		for id, want := range changes {
			if got := m.Binding(ID(id)).Keys; !reported[ID(id)] && len(got) > len(want) {
				t.Fatalf("%s has %q, was given %q, and nothing was said", id, got, want)
			}
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"ctrl+a", "+", "ctrl++", "shift+é", " ", "\x1b", "F99", "++", "a+", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := parseKey(s)
		if err != nil {
			return
		}
		if again, err := parseKey(key); again != key || err != nil {
			t.Errorf("parseKey(%q) = %q, and of that %q, %v", s, key, again, err)
		}
	})
}
