package auth

import (
	"errors"
	"fmt"
	"sync"
)

// maxForeign is how many answers that are none may come before the wait is given up.
const maxForeign = 20

// errLate says that the answer came before.
var errLate = errors.New("the answer has come already")

// gate lets the answer to one request through, once, whichever way it comes: by the browser, or pasted.
type gate struct {
	judge   func(rawQuery string) error // errForeign when it is not the answer
	answers chan error                  // one: what the judge said of the answer

	mu      sync.Mutex
	foreign int
	over    bool
}

func newGate(judge func(rawQuery string) error) *gate {
	return &gate{judge: judge, answers: make(chan error, 1)}
}

// take looks at what may be the answer. last reports that the wait is over by it: the verdict, which goes to answers
// then by [gate.deliver].
func (g *gate) take(rawQuery string) (last bool, verdict error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return false, errLate
	}
	verdict = g.judge(rawQuery)
	g.over = !errors.Is(verdict, errForeign)
	return g.over, verdict
}

// refuse counts a request that cannot be the answer. last reports that it was one too many.
func (g *gate) refuse(where string) (last bool, verdict error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return false, errLate
	}
	if g.foreign++; g.foreign < maxForeign {
		return false, errForeign
	}
	g.over = true
	return true, fail(StepAuthorization, fmt.Errorf("%d requests came to %s that are not the answer of the authorization server", maxForeign, where),
		"A program or a web page on this machine interferes. Close what you do not know, and try again.")
}

// deliver hands the last verdict to whoever waits.
func (g *gate) deliver(verdict error) { g.answers <- verdict }

// close lets nothing through any more. It reports whether something had been.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.over
	g.over = true
	return was
}
