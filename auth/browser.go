package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pkg/browser"

	"ahptui/internal/guard"
)

// Why no browser was started.
var (
	// ErrRemote says that this is a session over SSH: a browser would open on the wrong machine.
	ErrRemote = errors.New("this is a session over SSH")
	// ErrNoDisplay says that there is no graphical session to open a browser in.
	ErrNoDisplay = errors.New("there is no graphical session here")
	// ErrSlowBrowser says that the browser was started, but has not shown by ending its starter that it took the URL. It
	// may have: some starters last as long as the browser.
	ErrSlowBrowser = errors.New("the browser has not confirmed that it opened")
)

// browserTime is how long a browser has to say that it opened.
const browserTime = 5 * time.Second

// Browser is the [Opener] that starts the browser of the person's desktop.
type Browser struct {
	place Place
	start func(url string) error
}

// NewBrowser returns the browser of this machine.
func NewBrowser() *Browser {
	silenceBrowser()
	return &Browser{place: Here(), start: browser.OpenURL}
}

// silenceBrowser keeps the programs that start a browser from writing on this program's screen. Without a writer their
// output goes nowhere; with one that discards, waiting for a starter would be waiting for the browser that it left
// behind.
var silenceBrowser = sync.OnceFunc(func() { browser.Stdout, browser.Stderr = nil, nil })

// Open implements [Opener]. Only https URLs, and http ones of this machine, are opened: to a desktop a URL may be the
// name of a program.
//
// The starter of a browser cannot be stopped: where it outlasts the wait, it is left to itself.
func (b *Browser) Open(ctx context.Context, url string) error {
	if _, err := (guard.Policy{Loopback: true, Private: true}).CheckURL(url); err != nil {
		return err
	}
	if err := b.place.NoBrowser(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- b.start(url) }()
	timer := time.NewTimer(browserTime)
	defer timer.Stop()
	select {
	case err := <-result:
		if err != nil {
			return fmt.Errorf("start a browser: %w", err)
		}
		return nil
	case <-timer.C:
		return ErrSlowBrowser
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
