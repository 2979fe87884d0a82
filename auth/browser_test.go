package auth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pkg/browser"
)

// desktop is a browser of a machine with a graphical session, whose starter is start.
func desktop(start func(string) error) *Browser {
	return &Browser{place: Place{OS: "linux", Display: ":0"}, start: start}
}

// B59: a URL reaches the system as it was checked, or not at all.
func TestBrowserOpensOnlyURLs(t *testing.T) {
	t.Parallel()
	var started []string
	b := desktop(func(url string) error { started = append(started, url); return nil })
	for url, want := range map[string]bool{
		"https://login.example/a?b=c&d=%20e":     true,
		"https://x/$(id)":                        true, // one argument to a program, no shell
		"http://127.0.0.1:8080/authorize":        true,
		"http://localhost:8080/":                 true,
		"https://10.0.0.1/":                      true, // whether it may is asked before
		"http://login.example/":                  false,
		"file:///etc/passwd":                     false,
		"javascript:alert(1)":                    false,
		"-x":                                     false,
		"--help":                                 false,
		"calc.exe":                               false,
		`\\server\share\x.exe`:                   false,
		"https://a\nb":                           false,
		"https://a\x00b/":                        false,
		"https://good.example@evil.example/":     false,
		"https://a/ b":                           false,
		"https://a/`id`":                         false,
		"https://a/" + strings.Repeat("x", 9000): false,
		"":                                       false,
	} {
		started = nil
		err := b.Open(t.Context(), url)
		if opened := err == nil && len(started) == 1 && started[0] == url; opened != want || !want && started != nil {
			t.Errorf("Open(%.40q) = %v, started %q", url, err, started)
		}
	}
}

func TestBrowserStaysAway(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		goos string
		env  map[string]string
		want error
	}{
		"X11":            {"linux", map[string]string{"DISPLAY": ":0"}, nil},
		"Wayland":        {"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, nil},
		"no display":     {"linux", nil, ErrNoDisplay},
		"ssh":            {"linux", map[string]string{"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "a 1 b 2"}, ErrRemote},
		"a Mac":          {"darwin", nil, nil},
		"a Mac by ssh":   {"darwin", map[string]string{"SSH_CONNECTION": "a 1 b 2"}, ErrRemote},
		"Windows":        {"windows", nil, nil},
		"Windows by ssh": {"windows", map[string]string{"SSH_CONNECTION": "a 1 b 2"}, ErrRemote},
	} {
		started := false
		place := placeOf(tt.goos, func(name string) string { return tt.env[name] })
		b := &Browser{place: place, start: func(string) error { started = true; return nil }}
		if err := b.Open(t.Context(), "https://login.example/"); !errors.Is(err, tt.want) || started != (tt.want == nil) {
			t.Errorf("%s: %v, started %t", name, err, started)
		}
	}
}

func TestBrowserThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("exit status 3")
	if err := desktop(func(string) error { return broken }).Open(t.Context(), "https://login.example/"); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}

// A starter that lasts as long as the browser holds nobody up.
func TestBrowserThatLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		b := desktop(func(string) error { <-end; return nil })
		start := time.Now()
		if err := b.Open(t.Context(), "https://login.example/"); !errors.Is(err, ErrSlowBrowser) || time.Since(start) != browserTime {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start = time.Now()
		if err := b.Open(ctx, "https://login.example/"); !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("cancelled, after %v: %v", time.Since(start), err)
		}
		close(end)
	})
}

// The programs that start a browser have this program's screen as their output otherwise.
func TestBrowserIsSilent(t *testing.T) {
	t.Parallel()
	b := NewBrowser()
	if browser.Stdout != nil || browser.Stderr != nil {
		t.Error("the output of browsers is not thrown away")
	}
	if b.start == nil || b.place.OS == "" {
		t.Errorf("NewBrowser() = %+v", b)
	}
}
