package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/views/status"
)

// external is a kind of program that text is opened in.
type external uint8

const (
	pager external = iota
	editor
)

func (e external) String() string {
	if e == pager {
		return "pager"
	}
	return "editor"
}

// command is what the person has set for it, and the variable that does.
func (e external) command(o Options) (line, variable string) {
	if e == pager {
		return o.Pager, "PAGER"
	}
	return o.Editor, "EDITOR"
}

// openFileMsg brings a file with the text that is to be opened.
type openFileMsg struct {
	in   external
	file aside
	err  error
}

// closedFileMsg says that the program has ended in which the file was open.
type closedFileMsg struct {
	in   external
	file aside
	err  error
}

// aside is a file that is removed after it was read, with the program at the latest.
type aside struct {
	path   string
	remove func()
}

// openItem writes what is selected into a file of its own, for a program outside.
func (m *Model) openItem(in external) tea.Cmd {
	text := document(m.selected())
	if line, variable := in.command(m.opts); line == "" {
		m.notices.hint(m.clock.now, own("no "+in.String()+" is known: set $"+variable))
		return nil
	}
	conn, link := m.conn, m.link
	return link.do(func(ctx context.Context) tea.Msg {
		text = conn.withoutTokens(ctx, text)
		if in == pager { // it may hand on what it reads to the terminal
			text = safetext.CleanBlock(text, 4*len(text)+1).String() + "\n"
		} else {
			text = plainText(text)
		}
		path, err := writeAside(text)
		file := aside{path, sync.OnceFunc(func() { _ = os.Remove(path) })} // it may be gone already
		if err == nil {
			link.atEnd(file.remove)
		}
		return openFileMsg{in, file, err}
	})
}

// writeAside writes text into a new file that nobody else can read.
func writeAside(text string) (path string, err error) {
	file, err := os.CreateTemp("", "ahptui-*.md") // mode 0600
	if err != nil {
		return "", fmt.Errorf("a file for it: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// openFile gives the terminal to the program that shows the file, until it ends.
func (m *Model) openFile(msg openFileMsg) tea.Cmd {
	if msg.err != nil {
		m.tell(status.Problem, "could not open it: "+msg.err.Error())
		return nil
	}
	line, variable := msg.in.command(m.opts)
	words, err := splitWords(line)
	if err != nil {
		return m.fileClosed(closedFileMsg{msg.in, msg.file, fmt.Errorf("$%s cannot be read: %w", variable, err)})
	}
	program := exec.CommandContext(m.link.ctx, words[0], append(words[1:], msg.file.path)...)
	return tea.ExecProcess(program, func(err error) tea.Msg { return closedFileMsg{msg.in, msg.file, err} })
}

// fileClosed removes the file, and tells if the program failed.
func (m *Model) fileClosed(msg closedFileMsg) tea.Cmd {
	if msg.err != nil {
		line, variable := msg.in.command(m.opts)
		m.tell(status.Problem, fmt.Sprintf("the %s failed ($%s is %q): %v", msg.in, variable, line, msg.err))
	}
	return m.link.do(func(context.Context) tea.Msg {
		msg.file.remove()
		return nil
	})
}

// splitWords splits a command line as a shell does: at blanks, but for those in quotes and behind a backslash. Nothing is
// replaced in it, and no shell runs it.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, escaped, quote := false, false, rune(0)
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && os.PathSeparator != '\\':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a %c has no end", quote)
	case escaped:
		return nil, errors.New("it ends in a backslash")
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("it names no program")
	}
	return words, nil
}
