// Package worktree tells what has changed in a working tree of git since its last
// commit, and can stage such changes or throw them away. It runs the program git
// and asks it for nothing that would run another program which the repository
// names: a directory that somebody has downloaded must not start programs by being
// looked at.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The limits of what git is asked.
const (
	timeout       = 20 * time.Second
	maxOutput     = 16 << 20
	maxErrorBytes = 4 << 10
)

// The errors of this package.
var (
	ErrNoGit    = errors.New("git is not installed")
	ErrTooLarge = errors.New("there is too much of it")
	ErrChanged  = errors.New("the file has changed meanwhile: look at it again first")
)

// Inside reports whether a directory seems to be in a working tree: whether it or
// one above has something called .git. It does not run git.
func Inside(dir string) bool {
	for filepath.IsAbs(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return false
}

// A Tree is a directory in a working tree. What is outside of the directory is
// none of its business.
type Tree struct {
	dir string // absolute
}

// At is the directory dir, which is in a working tree.
func At(dir string) *Tree { return &Tree{dir: dir} }

// Dir is the tree's directory.
func (t *Tree) Dir() string { return t.dir }

// A git runs the program git in a directory, with settings that make it safe there.
type git struct {
	dir  string
	safe []string
}

// git finds out how git is to be run in the directory.
func (t *Tree) git(ctx context.Context) (*git, error) {
	g := &git{dir: t.dir, safe: []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.quotePath=false"}}
	return g, g.disarm(ctx)
}

// run runs git and returns its output.
func (g *git) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", slices.Concat(g.safe, args)...)
	cmd.Dir = g.dir
	cmd.Env = append(environment(os.Environ()),
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_OPTIONAL_LOCKS=0",                             // others may be at work here
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=no-one", // nothing is fetched: a URL may name a program
	)
	cmd.WaitDelay = time.Second // for what might hold its output open
	out, problems := &limited{limit: maxOutput, stop: func() { _ = cmd.Cancel() }}, &limited{limit: maxErrorBytes}
	cmd.Stdout, cmd.Stderr = out, problems
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGit
	case out.over:
		return nil, fmt.Errorf("git: %w", ErrTooLarge)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git: %w", context.Cause(ctx))
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(problems.String()), "\n")
		return nil, fmt.Errorf("git: %w: %s", err, strings.ToValidUTF8(first, "\uFFFD"))
	}
	return out.Bytes(), nil
}

// environment is ours without what would make git look at another repository, or
// is meant for this program alone.
func environment(ours []string) []string {
	var env []string
	for _, kv := range ours {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name)
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "AHP_") && !strings.HasPrefix(name, "AHPTUI_") {
			env = append(env, kv)
		}
	}
	return env
}

// disarm adds what keeps git from putting the contents of files through programs
// that the repository's own configuration names. The user's own filters stay.
func (g *git) disarm(ctx context.Context) error {
	out, err := g.run(ctx, "config", "--null", "--show-scope", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil // there are none
	}
	if err != nil {
		return err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, name := fields[i], fields[i+1]
		switch {
		case scope != "local" && scope != "worktree":
		case strings.HasSuffix(name, ".required"):
			g.safe = append(g.safe, "-c", name+"=false")
		default:
			g.safe = append(g.safe, "-c", name+"=")
		}
	}
	return nil
}

// limited keeps so much of what is written, and stops the writer when there is more.
type limited struct {
	bytes.Buffer
	limit int
	over  bool
	stop  func()
}

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	if room := l.limit - l.Len(); len(p) > room {
		l.over = true
		if l.stop != nil {
			l.stop()
		}
		_, _ = l.Buffer.Write(p[:max(room, 0)]) // which never fails
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
