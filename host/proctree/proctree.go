// Package proctree starts programs and ends them with everything that they have
// started.
package proctree

import (
	"strings"
	"time"
)

// poll is the time between two looks at a tree that is to end.
const poll = 10 * time.Millisecond

// Gone waits until the program has ended, which closes exited, and nothing is left
// of its tree, at most for d; it reports whether that came to be.
func (t *Tree) Gone(exited <-chan struct{}, d time.Duration) bool {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	for {
		wait := time.NewTimer(poll)
		select {
		case <-exited:
			exited = nil
			wait.Stop()
			if !t.Alive() {
				return true
			}
		case <-wait.C:
			if exited == nil && !t.Alive() {
				return true
			}
		case <-deadline.C:
			wait.Stop()
			return false
		}
	}
}

// Env returns the environment of a program to start: ours without what is meant
// for this program alone (among it the hosts' tokens), and extra.
func Env(ours []string, extra map[string]string) []string {
	env := make([]string, 0, len(ours)+len(extra))
	for _, kv := range ours {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "AHP_") || strings.HasPrefix(name, "AHPTUI_") {
			continue
		}
		env = append(env, kv)
	}
	for k, v := range extra {
		env = append(env, k+"="+v)
	}
	return env
}
