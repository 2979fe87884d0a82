package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ahptui/internal/secret"
)

// TestMain's process plays the programs that a token is got from.
const supplyEnv = "AHPTUI_TEST_SUPPLY"

// pretend is this test binary as a program that does what is said.
func pretend(t *testing.T, what string) Supply {
	t.Helper()
	t.Setenv(supplyEnv, what)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return FromCommand(self)
}

// playSupply is the other side of pretend. It reports whether this process is one.
func playSupply() bool {
	what := os.Getenv(supplyEnv)
	switch what {
	case "":
		return false
	case "token":
		fmt.Fprintln(os.Stderr, "noise "+canarySecret)
		fmt.Println(canaryToken)
	case "fails":
		fmt.Println(canaryToken)
		fmt.Fprintln(os.Stderr, canarySecret)
		os.Exit(3)
	case "lines":
		fmt.Println(canaryToken + "\n" + canaryToken)
	case "flood":
		for range 1000 {
			fmt.Print(strings.Repeat("x", 1000))
		}
	case "stdin":
		text, _ := io.ReadAll(os.Stdin)
		fmt.Printf("read%d", len(text))
	case "hangs":
		fmt.Print(canaryToken)
		<-time.After(time.Hour)
	}
	return true
}

// T25: a token from a command comes without a shell, and neither what the command says nor how it fails shows any of it.
func TestCommandSupply(t *testing.T) {
	for what, want := range map[string]string{
		"token": canaryToken, "fails": "error: it ended with exit code 3", "lines": "error: it is not one token",
		"flood": "error: it is larger than", "stdin": "read0",
	} {
		value, err := pretend(t, what).Token(t.Context())
		if err == nil {
			err = checkToken(value)
		}
		got := value.Reveal()
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, want) || err != nil && strings.Contains(got, "canary") {
			t.Errorf("%s: %.80s, want %s", what, got, want)
		}
	}
	if _, err := FromCommand("/nowhere/gh", canarySecret).Token(t.Context()); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("no such program: %v", err)
	}
	s := FromCommand("gh", "auth", "token", canarySecret)
	if s.String() != "the command gh" || strings.Contains(fmt.Sprintf("%v %s", s, s), "canary") {
		t.Errorf("shown as %v", s)
	}
}

// A program that hangs is ended, with what it has started, as soon as nobody waits for it.
func TestCommandSupplyIsGivenUp(t *testing.T) {
	supply := pretend(t, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	begin := time.Now()
	if _, err := supply.Token(ctx); err == nil {
		t.Error("no error")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if runtime.GOOS == "windows" {
		return
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin = time.Now()
	_, err := FromCommand("sh", "-c", "sleep 60 & sleep 60").Token(ctx)
	if took := time.Since(begin); err == nil || took > 5*time.Second {
		t.Errorf("a program with a child: %v after %v", err, took)
	}
}

// B58: a file that others can read is refused.
func TestFileSupply(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(canaryToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := FromFile(path).Token(t.Context()); err != nil || v.Reveal() != canaryToken {
		t.Errorf("%v, %v", v, err)
	}
	if got := FromFile(path).String(); got != "the file "+path {
		t.Errorf("shown as %s", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FromFile(path).Token(t.Context()); !errors.Is(err, secret.ErrExposed) {
		t.Errorf("a file that others can read: %v", err)
	}
}

func TestReaderSupply(t *testing.T) {
	t.Parallel()
	if v, err := FromReader("standard input", strings.NewReader(" "+canaryToken+"\r\n")).Token(t.Context()); err != nil || v.Reveal() != canaryToken {
		t.Errorf("%v, %v", v, err)
	}
	v, err := FromReader("x", io.MultiReader(strings.NewReader(strings.Repeat("x", 70<<10)))).Token(t.Context())
	if err != nil || checkToken(v) == nil {
		t.Errorf("an endless token was taken: %v", err)
	}
	broken := io.MultiReader(strings.NewReader(canaryToken), failing{})
	if _, err := FromReader("x", broken).Token(t.Context()); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a reader that fails: %v", err)
	}
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FromReader("x", r).Token(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	w.Close() // lets the read end
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New(canarySecret) }
