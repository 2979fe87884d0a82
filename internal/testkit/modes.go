package testkit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// modes is what a program has changed about a terminal's behaviour.
type modes struct {
	changed map[ansi.Mode]bool
	// kitty is the depth of the stack of the Kitty keyboard protocol, kittyFlags the flags set without pushing.
	kitty, kittyFlags int
	modifyOtherKeys   int
}

func newModes() modes { return modes{changed: map[ansi.Mode]bool{}} }

func (m *modes) set(mode ansi.Mode, on bool) { m.changed[mode] = on }

// on reports whether a mode is set.
func (m *modes) on(mode ansi.Mode) bool {
	if on, ok := m.changed[mode]; ok {
		return on
	}
	return onByDefault(mode)
}

// onByDefault reports whether a terminal starts with a mode set: wrapping at the right edge and a visible cursor.
func onByDefault(mode ansi.Mode) bool {
	return mode == ansi.ModeAutoWrap || mode == ansi.ModeTextCursorEnable
}

// watchKeyboard follows the keyboard extensions, which the emulator itself does not have.
func (m *modes) watchKeyboard(emu *vt.Emulator) {
	emu.RegisterCsiHandler(ansi.Command('>', 0, 'u'), func(ansi.Params) bool {
		m.kitty++
		return true
	})
	emu.RegisterCsiHandler(ansi.Command('<', 0, 'u'), func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 1)
		m.kitty -= max(n, 1)
		return true
	})
	emu.RegisterCsiHandler(ansi.Command('=', 0, 'u'), func(params ansi.Params) bool {
		if m.kitty == 0 {
			m.kittyFlags, _, _ = params.Param(0, 0)
		}
		return true
	})
	emu.RegisterCsiHandler(ansi.Command('>', 0, 'm'), func(params ansi.Params) bool {
		if resource, _, _ := params.Param(0, 0); resource == 4 {
			m.modifyOtherKeys, _, _ = params.Param(1, 0)
		}
		return true
	})
}

// leftovers names what is not as a terminal starts, in a fixed order.
func (m *modes) leftovers() []string {
	var out []string
	for mode, on := range m.changed {
		if on != onByDefault(mode) {
			out = append(out, fmt.Sprintf("%s is %s", modeName(mode), map[bool]string{true: "set", false: "reset"}[on]))
		}
	}
	slices.Sort(out)
	if m.kitty != 0 {
		out = append(out, fmt.Sprintf("the Kitty keyboard stack has depth %d", m.kitty))
	}
	if m.kittyFlags != 0 {
		out = append(out, fmt.Sprintf("the Kitty keyboard flags are %d", m.kittyFlags))
	}
	if m.modifyOtherKeys != 0 {
		out = append(out, fmt.Sprintf("modifyOtherKeys is %d", m.modifyOtherKeys))
	}
	return out
}

// modeName is a mode's number, and its name where a person is likely to ask for it.
func modeName(mode ansi.Mode) string {
	names := map[ansi.Mode]string{
		ansi.ModeTextCursorEnable:    "the cursor",
		ansi.ModeAltScreen:           "the alternate screen",
		ansi.ModeAltScreenSaveCursor: "the alternate screen",
		ansi.ModeBracketedPaste:      "bracketed paste",
		ansi.ModeFocusEvent:          "focus reporting",
		ansi.ModeMouseNormal:         "the mouse",
		ansi.ModeMouseButtonEvent:    "the mouse",
		ansi.ModeMouseAnyEvent:       "the mouse",
		ansi.ModeSynchronizedOutput:  "synchronised output",
		ansi.ModeUnicodeCore:         "grapheme clustering",
	}
	if name, ok := names[mode]; ok {
		return fmt.Sprintf("%s (mode %d)", name, mode.Mode())
	}
	return fmt.Sprintf("mode %d", mode.Mode())
}

// CheckRestored fails the test for everything that the program, which must have ended, did not leave as it found it:
// modes, keyboard extensions, colours, the pen, and on a real pseudo-terminal the line discipline.
func (t *Terminal) CheckRestored(tb testing.TB) {
	tb.Helper()
	if !t.hasEnded() {
		tb.Fatal("the program has not ended")
	}
	t.CheckReleased(tb)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, left := range t.lineLeftovers {
		tb.Errorf("the terminal is not as it was: %s", left)
	}
}

// CheckReleased fails the test unless the terminal's modes, colours and style are those of a shell, such as while the program
// is suspended.
func (t *Terminal) CheckReleased(tb testing.TB) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, left := range t.modes.leftovers() {
		tb.Errorf("the terminal is not as it was: %s", left)
	}
	fresh := vt.NewEmulator(1, 1)
	if t.emu.ForegroundColor() != fresh.ForegroundColor() || t.emu.BackgroundColor() != fresh.BackgroundColor() ||
		t.emu.CursorColor() != fresh.CursorColor() {
		tb.Error("the terminal is not as it was: its default colours have changed")
	}
	if style := t.penStyle(); style != "" {
		tb.Errorf("the terminal is not as it was: what comes next is written in %q", style)
	}
}

// penStyle is the style that the next character would have, as an escape sequence. It writes one to see, and takes it
// back.
func (t *Terminal) penStyle() string {
	pos := t.emu.CursorPosition()
	before := t.emu.CellAt(pos.X, pos.Y)
	if before == nil {
		return ""
	}
	kept := *before
	_, _ = t.emu.WriteString(ansi.SaveCursor + "x")
	style := t.emu.CellAt(pos.X, pos.Y).Style
	_, _ = t.emu.WriteString(ansi.RestoreCursor)
	t.emu.SetCell(pos.X, pos.Y, &kept)
	if style.IsZero() {
		return ""
	}
	return style.String()
}
