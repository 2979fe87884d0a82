package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// completer is a host that completes words after an @, and notes what it was asked.
type completer struct {
	asked []string
	slow  map[string]time.Duration
	ended []string // what was given up
}

func (c *completer) complete(ctx context.Context, text string, cursor int) ([]ahpclient.Completion, error) {
	word := lastWord(text[:cursor])
	c.asked = append(c.asked, word)
	select {
	case <-time.After(c.slow[word]):
	case <-ctx.Done():
		c.ended = append(c.ended, word)
		return nil, ctx.Err()
	}
	var list []ahpclient.Completion
	for _, name := range []string{"@alpha.go", "@alps.md", "@beta.go"} {
		if strings.HasPrefix(name, word) && strings.HasPrefix(word, "@") {
			list = append(list, ahpclient.Completion{Start: cursor - len(word), End: cursor, CompletionItem: &protocol.CompletionItem{
				InsertText: name, Attachment: &protocol.MessageAttachment{
					Type: protocol.AttachmentResource, Label: name[1:], URI: protocol.URI("file:///" + name[1:]), DisplayKind: "document", Meta: protocol.Raw(`{"k":1}`),
				},
			}})
		}
	}
	return list, nil
}

func withCompletions(t *testing.T, f func(t *testing.T, d *driver, c *completer)) {
	t.Helper()
	inBubble(t, viewtest.Size{Width: 100, Height: 30}, busyHost, func(t *testing.T, d *driver) {
		c := &completer{slow: map[string]time.Duration{}}
		d.host.change(func() {
			d.host.complete = c.complete
			d.host.conn.Greeting = &protocol.InitializeResult{CompletionTriggerCharacters: []string{"@"}}
		})
		d.look()
		d.m.opts.Directory = t.TempDir()
		d.key("i")
		f(t, d, c)
	})
}

// TestComplete: where the host wants to be asked, its completions stand above the composer after a standStill; the selected one is
// put in, and goes along with all that it has.
func TestComplete(t *testing.T) {
	withCompletions(t, func(t *testing.T, d *driver, c *completer) {
		d.write("é see @a")
		d.lacks("alpha.go")
		d.pass(standStill)
		d.sees("@alpha.go", "@alps.md", "document", "tab takes it")
		if fmt.Sprint(c.asked) != "[@a]" {
			t.Errorf("asked were %q", c.asked)
		}
		d.key("down", "tab")
		d.holds("é see @alps.md")
		d.lacks("takes it")
		d.sees("[alps.md document]")
		d.write(" now")
		d.key("enter")
		m := asks[*protocol.ChatPendingMessageSet](d, d.host.count()-1).Message
		if len(m.Attachments) != 1 || string(m.Attachments[0].Meta) != `{"k":1}` || m.Attachments[0].Range == nil || m.Attachments[0].Range.Start.Character != 6 {
			t.Errorf("sent %+v", m.Attachments)
		}
	})
}

// TestCompleteStale: an answer to what is not in the composer any more is left alone, and the host need not find it.
func TestCompleteStale(t *testing.T) {
	withCompletions(t, func(t *testing.T, d *driver, c *completer) {
		c.slow["@a"] = time.Second
		d.write("@a")
		d.pass(standStill)
		d.write("lph")
		d.pass(standStill)
		d.sees("@alpha.go")
		d.lacks("@alps.md")
		d.pass(2 * time.Second)
		d.lacks("@alps.md")
		if fmt.Sprint(c.ended) != "[@a]" {
			t.Errorf("given up were %q", c.ended)
		}
		d.write(" ")
		d.lacks("@alpha.go")
		d.holds("@alph ")
	})
}

// TestCompleteEatsNoKeys: completions that have only just appeared take no Enter; Esc closes them and nothing else.
func TestCompleteEatsNoKeys(t *testing.T) {
	withCompletions(t, func(t *testing.T, d *driver, _ *completer) {
		d.write("@b")
		d.pass(standStill)
		d.sees("@beta.go")
		d.key("enter")
		if m := asks[*protocol.ChatPendingMessageSet](d, d.host.count()-1).Message; m.Text.String() != "@b" {
			t.Errorf("sent %q", m.Text.String())
		}
		d.write("@b")
		d.pass(standStill + reading)
		d.sees("@beta.go")
		d.key("esc")
		d.lacks("takes it")
		d.focused(keymap.Composer)
		d.holds("@b")
		d.key("tab") // asked for by a key
		d.sees("@beta.go")
		d.key("enter")
		d.holds("@beta.go")
		d.key("esc")
		d.focused(keymap.Sessions)
	})
}

// TestCompleteHere: where the host knows nothing, or cannot be asked, the files of this machine are offered.
func TestCompleteHere(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]int{"src/main.go": 7, "src/other.go": 1, "readme": 1})
	for _, connected := range []bool{true, false} {
		t.Run("", func(t *testing.T) { completeHere(t, dir, connected) })
	}
}

func completeHere(t *testing.T, dir string, connected bool) {
	t.Helper()
	withCompletions(t, func(t *testing.T, d *driver, _ *completer) {
		d.m.opts.Directory = dir
		d.host.change(func() {
			d.host.complete = func(context.Context, string, int) ([]ahpclient.Completion, error) {
				return nil, errors.New("no such method")
			}
		})
		if !connected {
			d.host.drop(errGone)
		}
		d.look()
		d.write("in @s")
		d.key("tab")
		d.sees("@src/", "on this machine")
		d.key("tab")
		d.sees("@src/main.go", "@src/other.go")
		d.key("enter")
		d.holds("in @src/main.go")
		d.sees("[main.go 7 B]")
		d.write(" or ./r")
		d.key("tab")
		d.key("tab")
		d.holds("in @src/main.go or ./readme")
		d.write(" word")
		d.key("tab")
		if connected {
			d.sees("no completions: no such method")
		} else {
			d.sees("nothing is known that this word could become")
		}
		d.holds("in @src/main.go or ./readme word")
	})
}

// TestCompleteHostile: whatever a host offers is text, in its place, and has an end.
func TestCompleteHostile(t *testing.T) {
	t.Parallel()
	for i, s := range viewtest.Hostile() {
		if i%4 == 0 {
			t.Run("", func(t *testing.T) { completeHostile(t, s) })
		}
	}
}

func completeHostile(t *testing.T, s string) {
	t.Helper()
	withCompletions(t, func(t *testing.T, d *driver, _ *completer) {
		d.host.change(func() {
			d.host.complete = func(context.Context, string, int) ([]ahpclient.Completion, error) {
				list := []ahpclient.Completion{{}, {CompletionItem: &protocol.CompletionItem{InsertText: strings.Repeat("x", maxInsert+1)}}}
				for range 1000 {
					list = append(list, ahpclient.Completion{Start: 0, End: 1 << 40, CompletionItem: &protocol.CompletionItem{
						InsertText: "y" + s, Attachment: &protocol.MessageAttachment{Label: s, DisplayKind: s},
					}})
				}
				return list, nil
			}
		})
		d.look()
		d.write("@")
		d.key("tab")
		viewtest.Check(t, d.frame.Content, 100, 30)
		if n := len(d.m.writing.completing.choices); n > maxCompletions {
			t.Errorf("%d are offered", n)
		}
		d.checkSizes()
		d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		d.key("tab")
		viewtest.Check(t, d.frame.Content, 100, 30)
		d.checkSizes()
	})
}
