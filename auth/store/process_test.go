//go:build unix

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/internal/secret"
)

// childVariable holds the part of a test that another process runs, and orderVariable what that is about.
const (
	childVariable = "AHPTUI_TEST_STORE_PART"
	orderVariable = "AHPTUI_TEST_STORE_ORDER"
)

// order is what a process is to do.
type order struct {
	Dir, Ring, Server string
	Seen              Ref
	Goroutines        int
	Rounds            int
	DieAt             int // the number of the step at which it kills itself, from 1; 0 to live
}

func (o order) open(step func(string)) *Store {
	var keyring Keyring
	if o.Ring != "" {
		keyring = fileRing{o.Ring}
	}
	return open(context.Background(), Options{Dir: o.Dir, Keyring: keyring}, step, 20*time.Second)
}

// runChild runs the part of a test that belongs into a process of its own.
func runChild(part string) int {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv(orderVariable)), &o); err != nil {
		fmt.Println(err)
		return 1
	}
	parts := map[string]func(order) error{"many": childOfMany, "dying": dyingChild, "holder": holdingChild, "opener": openingChild}
	if err := parts[part](o); err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	return 0
}

// child is a process that a test has started.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func start(t *testing.T, part string, o order) *child {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.cmd.Env = append(os.Environ(), childVariable+"="+part, orderVariable+"="+string(data))
	c.cmd.Stderr = &c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// line is the next line that the process prints.
func (c *child) line() string {
	c.t.Helper()
	if !c.out.Scan() {
		err := c.cmd.Wait()
		c.t.Fatalf("the process ended: %v\n%s", err, c.stderr.String())
	}
	return c.out.Text()
}

// tell lets the process go on.
func (c *child) tell() { _, _ = io.WriteString(c.in, "go\n") }

// end waits for the end of the process and returns what else it printed.
func (c *child) end() (rest []string, err error) {
	for c.out.Scan() {
		rest = append(rest, c.out.Text())
	}
	return rest, c.cmd.Wait()
}

// listen waits, in a process, for the word to go on.
func listen(in *bufio.Scanner) error {
	if !in.Scan() {
		return errors.New("the test has gone")
	}
	return nil
}

// childOfMany refreshes what was seen in many goroutines, round after round, and says what came of it.
func childOfMany(o order) error {
	s := o.open(func(string) {})
	in := bufio.NewScanner(os.Stdin)
	seen := o.Seen
	for range o.Rounds {
		if err := listen(in); err != nil {
			return err
		}
		var group sync.WaitGroup
		tokens, failures := make([]Token, o.Goroutines), make([]error, o.Goroutines)
		fmt.Println("asking")
		for i := range o.Goroutines {
			group.Go(func() { tokens[i], failures[i] = s.Refresh(context.Background(), seen, ask(o.Server)) })
		}
		group.Wait()
		if err := errors.Join(failures...); err != nil {
			return err
		}
		for _, t := range tokens {
			if t.Ref != tokens[0].Ref || !t.Access.Equal(tokens[0].Access) {
				return errors.New("the goroutines did not all get the same")
			}
		}
		seen = tokens[0].Ref
		fmt.Println(tokens[0].Access.Reveal())
	}
	return nil
}

// Five processes with forty goroutines each see the same edition of a token and want a newer one, three times over. The
// server would end the grant if any refresh token came twice.
func TestOneRefreshAmongProcesses(t *testing.T) {
	t.Parallel()
	for _, place := range []Place{InKeyring, InFile} {
		t.Run(string(place), func(t *testing.T) {
			t.Parallel()
			const processes, goroutines, rounds = 5, 40, 3
			o := order{Dir: newDir(t), Goroutines: goroutines, Rounds: rounds}
			if place == InKeyring {
				o.Ring = t.TempDir()
			}
			server := newPartner(t)
			o.Server = server.URL
			s := openIn(t, place, o.Dir, fileRing{o.Ring})
			o.Seen = put(t, s, anyToken(anyKey("a"), "access-0", "refresh-0")).Ref
			children := make([]*child, processes)
			for i := range children {
				children[i] = start(t, "many", o)
			}
			for round := range rounds {
				server.mu.Lock()
				server.hold = make(chan struct{})
				server.mu.Unlock()
				for _, c := range children {
					c.tell()
				}
				for _, c := range children {
					if got := c.line(); got != "asking" {
						t.Fatal(got)
					}
				}
				close(server.hold) // now that all of them want it
				want := fmt.Sprintf("access-%d", round+1)
				for i, c := range children {
					if got := c.line(); got != want {
						t.Fatalf("round %d: process %d has %q, want %q", round, i, got, want)
					}
				}
			}
			for _, c := range children {
				if rest, err := c.end(); err != nil || len(rest) > 0 {
					t.Errorf("a process ended with %v %q", err, rest)
				}
			}
			access, refresh, requests := server.now()
			if requests != rounds || server.reused {
				t.Errorf("%d requests for %d rounds, reused: %v", requests, rounds, server.reused)
			}
			got, err := s.Get(t.Context(), o.Seen.Key)
			if err != nil || got.Access.Reveal() != access || got.Refresh.Reveal() != refresh || got.Attempted {
				t.Errorf("the store holds %+v (%v), the server gave something else", got, err)
			}
		})
	}
}

// dyingChild refreshes and kills itself at a step. Without one it prints the steps.
func dyingChild(o order) error {
	n := 0
	opened := false
	s := o.open(func(step string) {
		if !opened {
			return
		}
		n++
		if n == o.DieAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until it arrives
		}
		if o.DieAt == 0 {
			fmt.Println(step)
		}
	})
	opened = true
	_, err := s.Refresh(context.Background(), o.Seen, ask(o.Server))
	return err
}

// A process that refreshes is killed at every step there is. What it leaves behind is the old token or the new one, whole
// and working, and whoever comes next neither waits nor makes the server end the grant.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	rings := t.TempDir()
	begin := func(t *testing.T, dieAt int) (*partner, *Store, order) {
		t.Helper()
		server := newPartner(t)
		o := order{Dir: newDir(t), Ring: rings, Server: server.URL, DieAt: dieAt}
		s := openIn(t, InKeyring, o.Dir, fileRing{rings})
		o.Seen = put(t, s, anyToken(anyKey("a"), "access-0", "refresh-0")).Ref
		return server, s, o
	}
	_, _, o := begin(t, 0)
	steps, err := start(t, "dying", o).end()
	write := []string{stepCreated, stepHalf, stepWritten, stepSynced, stepRenamed, stepDone}
	want := append(append(append([]string{}, write...), stepBegun, stepAnswered), write...)
	if err != nil || strings.Join(steps, ", ") != strings.Join(want, ", ") {
		t.Fatalf("the steps are %q (%v), want %q", steps, err, want)
	}
	for i, step := range steps {
		t.Run(fmt.Sprintf("%02d %s", i+1, step), func(t *testing.T) {
			t.Parallel()
			server, _, o := begin(t, i+1)
			var died *exec.ExitError
			if _, err := start(t, "dying", o).end(); !errors.As(err, &died) || died.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the process ended with %v, want that it was killed", err)
			}
			survive(t, server, o)
		})
	}
}

// survive is what the next process does after one was killed.
func survive(t *testing.T, server *partner, o order) {
	t.Helper()
	s := openIn(t, InKeyring, o.Dir, fileRing{o.Ring})
	left, err := s.Get(t.Context(), o.Seen.Key)
	if err != nil {
		t.Fatalf("the token is lost: %v", err)
	}
	access, refresh, before := server.now()
	switch {
	case left.Generation == o.Seen.Generation && left.Access.Reveal() == "access-0" && left.Refresh.Reveal() == "refresh-0":
	case left.Generation != o.Seen.Generation && left.Access.Reveal() == access && left.Refresh.Reveal() == refresh:
	default:
		t.Fatalf("neither the old token nor the new one is on disk: %+v", left)
	}
	// Ahead of the end it refreshes what was not touched, and leaves alone what may be used up.
	fresh, err := s.Refresh(t.Context(), left.Ref, ask(o.Server))
	if left.Attempted {
		wantErr(t, err, ErrInterrupted)
		if _, _, after := server.now(); after != before || !fresh.Access.Equal(left.Access) {
			t.Error("a refresh token that may be used up was used, or the token that still works not given back")
		}
	} else if current, _, _ := server.now(); err != nil || fresh.Access.Reveal() != current {
		t.Errorf("the survivor could not refresh: %v", err)
	}
	if server.reused {
		t.Fatal("a refresh token was used twice")
	}
	// At the end it tries all the same: that works unless the server did give something that nobody was left to keep.
	present, err := s.Get(t.Context(), o.Seen.Key)
	if err != nil {
		t.Fatal(err)
	}
	_, known, _ := server.now()
	_, err = s.Refuse(t.Context(), present.Ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Refresh(t.Context(), present.Ref, ask(o.Server)); present.Refresh.Reveal() == known {
		if err != nil {
			t.Errorf("the refresh token that is on disk does not work: %v", err)
		}
		return
	}
	wantErr(t, err, ErrInvalidGrant)
	if _, err := s.Get(t.Context(), o.Seen.Key); !errors.Is(err, ErrNoToken) {
		t.Errorf("a token that is at an end is still there: %v", err)
	}
}

// holdingChild takes the turn and holds it until it is killed.
func holdingChild(o order) error {
	s := o.open(func(string) {})
	if _, err := s.turn(context.Background(), turnOf(o.Seen.Key)); err != nil {
		return err
	}
	if _, err := lock(context.Background(), s.file(InFile).path+".lock", time.Second, shortPoll); err != nil {
		return err
	}
	fmt.Println("holding")
	return listen(bufio.NewScanner(os.Stdin))
}

// Who waits for another process gives up in time, and need not wait for one that has died.
func TestHolderOfLocks(t *testing.T) {
	t.Parallel()
	o := order{Dir: newDir(t)}
	server := newPartner(t)
	s := openIn(t, InFile, o.Dir, nil)
	o.Seen = put(t, s, anyToken(anyKey(), "access-0", "refresh-0")).Ref
	c := start(t, "holder", o)
	if got := c.line(); got != "holding" {
		t.Fatal(got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Refresh(ctx, o.Seen, ask(server.URL))
	wantErr(t, err, context.DeadlineExceeded)
	s.turnWait = 50 * time.Millisecond
	_, err = s.Refresh(t.Context(), o.Seen, ask(server.URL))
	wantErr(t, err, ErrBusy)
	s.shelf.tokens.(*fileDocument[content]).wait = 50 * time.Millisecond
	wantErr(t, s.Remove(t.Context(), o.Seen), ErrBusy)
	if got, err := s.Get(t.Context(), o.Seen.Key); err != nil || got.Access.Reveal() != "access-0" {
		t.Errorf("reading waits for a lock: %v", err)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = c.end()
	s.turnWait = turnWait
	s.shelf.tokens.(*fileDocument[content]).wait = fileWait
	if _, err := s.Refresh(t.Context(), o.Seen, ask(server.URL)); err != nil {
		t.Errorf("a dead process holds a lock: %v", err)
	}
}

// openingChild opens a store whose keyring has no key yet, and puts a token.
func openingChild(o order) error {
	fmt.Println("ready")
	if err := listen(bufio.NewScanner(os.Stdin)); err != nil {
		return err
	}
	s := o.open(func(string) {})
	if place := s.Status().Place; place != InKeyring {
		return fmt.Errorf("the store is in %q", place)
	}
	for n := range 5 {
		key := anyKey(fmt.Sprintf("process-%d-%d", os.Getpid(), n))
		if _, err := s.Put(context.Background(), Token{Ref: Ref{Key: key}, Access: secret.New("x"), Obtained: time.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// Several processes that find no key make one, not several, and none writes over what another wrote.
func TestFirstKeyAmongProcesses(t *testing.T) {
	t.Parallel()
	o := order{Dir: newDir(t), Ring: t.TempDir()}
	const processes = 4
	children := make([]*child, processes)
	for i := range children {
		children[i] = start(t, "opener", o)
		children[i].line()
	}
	for _, c := range children {
		c.tell()
	}
	for _, c := range children {
		if rest, err := c.end(); err != nil {
			t.Errorf("a process ended with %v: %q", err, rest)
		}
	}
	s := openIn(t, InKeyring, o.Dir, fileRing{o.Ring})
	all, err := s.All(t.Context())
	if err != nil || len(all) != 5*processes || len(s.Status().SetAside) > 0 {
		t.Errorf("%d tokens of %d are there (%v)", len(all), 5*processes, err)
	}
}
