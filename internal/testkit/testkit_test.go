package testkit_test

import (
	"fmt"
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ahptui/internal/testkit"
)

// asProgram makes this test binary a program that a test starts on a virtual terminal.
const asProgram = "TESTKIT_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if _, err := tea.NewProgram(echo{}).Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(7)
	}
	testkit.VerifyTestMain(m)
}

// standard is the size that everything must work at.
func standard() testkit.Size { return testkit.Size{Cols: 80, Rows: 24} }

// echo is a program that shows what it is told: its size, its keys, what is pasted.
type echo struct {
	size   string
	keys   string
	pasted string
	told   string
}

// tell is a message from outside.
type tell string

func (e echo) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (e echo) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		e.size = fmt.Sprintf("%dx%d", msg.Width, msg.Height)
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			return e, tea.Quit
		}
		e.keys += "<" + msg.String() + ">"
	case tea.PasteMsg:
		e.pasted = msg.Content
	case tea.BackgroundColorMsg:
		e.told += fmt.Sprintf(" dark=%v", msg.IsDark())
	case tea.ModeReportMsg:
		e.told += fmt.Sprintf(" %d=%d", msg.Mode.Mode(), msg.Value)
	case tell:
		e.told += " " + string(msg)
	}
	return e, nil
}

func (e echo) View() tea.View {
	red := lipgloss.NewStyle().Foreground(lipgloss.Color("#ff0000")).Bold(true)
	v := tea.NewView("size " + e.size + "\nkeys " + e.keys + "\npasted " + e.pasted + "\ntold" + e.told + "\n世界 " + red.Render("alarm"))
	v.AltScreen = true
	v.WindowTitle = "echo; " + e.size
	v.ReportFocus = true
	return v
}
