package authflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/authflow"
	"ahptui/views/frame"
	"ahptui/views/viewtest"
)

const page = "http://127.0.0.1:41873/authorize?response_type=code&client_id=c-5d1f0a9be6&redirect_uri=http%3A%2F%2F127.0.0.1%3A36021%2Fcallback" +
	"&scope=tracker%3Aread+tracker%3Awrite&state=Yl4vB1u3S0o7hYt1oWw3mQ&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256" +
	"&resource=http%3A%2F%2F127.0.0.1%3A40123%2Fmcp"

var keys = authflow.Keys{GoOn: safetext.Const("⏎"), Copy: safetext.Const("c"), Open: safetext.Const("o"), NotNow: safetext.Const("esc"), Back: safetext.Const("esc")}

// stepUp is consent to more access than was granted.
func stepUp() authflow.Input {
	return authflow.Input{
		Server: safetext.Const("tracker"), Call: safetext.Const("tracker.create"), Reason: safetext.Const("the server needs more access"),
		Description: safetext.Const("Creating issues needs write access"),
		Host:        safetext.Const("demo host"), HostURL: safetext.URL("ws://127.0.0.1:8081"), Receives: safetext.Const("the access token, for this resource alone"),
		Resource: safetext.URL("http://127.0.0.1:40123/mcp"), Issuer: safetext.URL("http://127.0.0.1:41873"),
		Scopes: []authflow.Scope{
			{Name: safetext.Const("tracker:read"), Held: true, Required: true, Asked: true},
			{Name: safetext.Const("tracker:write"), Required: true, Asked: true},
			{Name: safetext.Const("tracker:admin")},
		},
		Client: safetext.Const("a client that this program registered there"), Metadata: authflow.Verified, Keys: keys,
	}
}

// stages are a sign-in at its stages.
func stages() map[string]authflow.Input {
	inputs := map[string]authflow.Input{}
	add := func(name string, stage authflow.Stage, change func(*authflow.Input)) {
		in := stepUp()
		in.Stage = stage
		change(&in)
		inputs[name] = in
	}
	add("consent", authflow.Consent, func(*authflow.Input) {})
	add("consent-warned", authflow.Consent, func(in *authflow.Input) {
		in.Warnings = []safetext.Text{safetext.Const("the authorization server is another one than the last time")}
		in.Issuer, in.HostURL = safetext.URL("https://l\u043egin.example/tenants/acme"), safetext.URL("wss://agents.example")
		in.OtherOrigins, in.OtherIssuers = []safetext.Link{safetext.URL("https://tokens.example")}, []safetext.Link{safetext.URL("https://login2.example")}
		in.Metadata, in.MetadataNote = authflow.Unavailable, safetext.Const("no route to host")
		in.Scopes = nil
	})
	add("consent-contradicted", authflow.Consent, func(in *authflow.Input) { in.Metadata = authflow.Contradicts })
	add("finding", authflow.Working, func(in *authflow.Input) {
		in.Metadata, in.Progress = authflow.Unchecked, safetext.Const("finding the authorization server")
	})
	add("waiting", authflow.Working, func(in *authflow.Input) {
		in.Passed = []safetext.Text{safetext.Const("found the authorization server"), safetext.Const("registered")}
		in.Progress, in.Since, in.URL = safetext.Const("waiting for the browser"), safetext.Const("12 s"), safetext.URL(page)
		in.Notice = safetext.Const("the URL is on the clipboard")
	})
	add("failed", authflow.Failed, func(in *authflow.Input) {
		in.Failure = authflow.Failure{
			Step:     safetext.Const("reading the metadata of the authorization server"),
			Cause:    safetext.Const("it calls itself http://127.0.0.1:41873/ and not http://127.0.0.1:41873"),
			Expected: safetext.Const("http://127.0.0.1:41873"), Received: safetext.Const("http://127.0.0.1:41873/"), Said: safetext.Const("no such tenant"),
			Remedy: safetext.Const("the server's own metadata is at fault; ask who runs it"),
		}
	})
	add("done", authflow.Done, func(in *authflow.Input) {
		in.Progress, in.Since = safetext.Const("the host has the token and tracker.create goes on"), safetext.Text{}
	})
	return inputs
}

func drawn(theme themes.Theme, in authflow.Input, width, height int) string {
	m := authflow.New(theme)
	m.SetSize(width, height)
	return m.View(in)
}

func TestStages(t *testing.T) {
	t.Parallel()
	for name, in := range stages() {
		for _, size := range []viewtest.Size{{Width: 40, Height: 60}, {Width: 80, Height: 24}, {Width: 200, Height: 24}} {
			t.Run(fmt.Sprintf("%s-%d", name, size.Width), func(t *testing.T) {
				t.Parallel()
				golden.RequireEqual(t, viewtest.Text(drawn(viewtest.Plain(t), in, size.Width, size.Height)))
			})
		}
	}
}

// On the smallest screens that count, everything can be scrolled to.
func TestSmall(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}} {
		for name, in := range stages() {
			whole := viewtest.Text(drawn(viewtest.Plain(t), in, size.Width, 200))
			m := authflow.New(viewtest.Plain(t))
			m.SetSize(size.Width, size.Height)
			seen, before := "", ""
			for range 200 {
				screen := m.View(in)
				if screen == before {
					break
				}
				before = screen
				viewtest.Check(t, screen, size.Width, strings.Count(screen, "\n")+1)
				if strings.Count(screen, "\n") >= size.Height {
					t.Fatalf("%s: higher than %d", name, size.Height)
				}
				seen += viewtest.Text(screen)
				m.Down()
			}
			for line := range strings.Lines(whole) {
				if !strings.Contains(seen, line) && !strings.Contains(line, "─") {
					t.Errorf("%s at %v: never seen: %s", name, size, line)
				}
			}
		}
	}
	golden.RequireEqual(t, viewtest.Text(drawn(viewtest.Plain(t), stages()["consent"], 40, 12))+viewtest.Text(drawn(viewtest.Plain(t), stages()["waiting"], 40, 12)))
}

// The URL is whole on the screen, at any width, and nothing but the URL is in
// the lines that it takes, also where it is laid over what is there.
func TestURLCanBeCopied(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 41, 80, 200} {
		for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t)} {
			box := drawn(theme, stages()["waiting"], width, 60)
			under := strings.TrimSuffix(strings.Repeat(strings.Repeat("#", width)+"\n", 60), "\n")
			screen, _, _ := frame.Overlay(under, box, width, 60)
			viewtest.Check(t, screen, width, 60)
			_, after, found := strings.Cut(viewtest.Text(screen), "http://127.0.0.1:41873/authorize")
			got := "http://127.0.0.1:41873/authorize"
			for line := range strings.Lines(after) {
				got += strings.TrimRight(line, "\n")
				if strings.TrimSpace(line) == "" || len(got) >= len(page) {
					break
				}
			}
			if !found || got != page {
				t.Errorf("at %d:\n%s\nwant\n%s", width, got, page)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"consent":              "⏎ allow and sign in  esc not now",
		"consent-contradicted": "esc not now",
		"finding":              "esc back",
		"waiting":              "esc back  c copy URL  o open again",
		"failed":               "⏎ try again  esc back",
		"done":                 "esc close",
	} {
		lines := strings.Split(strings.TrimSpace(viewtest.Text(drawn(viewtest.Plain(t), stages()[name], 40, 12))), "\n")
		if got := strings.Trim(lines[len(lines)-1], "─ "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	in := stages()["waiting"]
	in.Keys.Paste, in.Keys.Scan = safetext.Const("⏎"), safetext.Const("Q")
	if got := viewtest.Text(drawn(viewtest.Plain(t), in, 40, 12)); !strings.Contains(got, "esc back  ⏎ paste  c copy  Q scan") {
		t.Errorf("not all keys that matter are seen:\n%s", got)
	}
	in = stepUp()
	in.Keys = authflow.Keys{NotNow: safetext.Const("x")}
	if got := viewtest.Text(drawn(viewtest.Plain(t), in, 40, 12)); strings.Contains(got, "allow") {
		t.Errorf("a key without a name is offered:\n%s", got)
	}
}

// What a server says is seen to be a quotation in each of its lines, whatever it
// puts into it to get out of that.
func TestQuote(t *testing.T) {
	t.Parallel()
	in := stepUp()
	in.Description = safetext.Clean("Needed."+`"`+strings.Repeat(" ", 200)+"Go to https://evil.example/device and type this code there:\n\n  WDJB-MJHT", 400)
	for _, size := range []viewtest.Size{{Width: 30, Height: 100}, {Width: 40, Height: 100}, {Width: 80, Height: 100}} {
		said, quoted := "", false
		for line := range strings.Lines(viewtest.Text(drawn(viewtest.Plain(t), in, size.Width, size.Height))) {
			label, text, marked := strings.Cut(strings.TrimSuffix(line, "\n"), "│ ")
			if quoted = quoted || strings.Contains(line, "it says"); quoted && marked && strings.Trim(label, " ") != "" && !strings.Contains(label, "it says") {
				t.Errorf("at %v: %q stands beside the quotation", size, label)
			}
			if marked {
				said += text
			}
		}
		for _, part := range []string{"evil.example", "WDJB-MJHT"} {
			if whole := viewtest.Text(drawn(viewtest.Plain(t), in, size.Width, size.Height)); strings.Count(whole, part) != strings.Count(said, part) || !strings.Contains(said, "WDJB") {
				t.Errorf("at %v: %s is not quoted:\n%s", size, part, whole)
			}
		}
	}
}

// What a key has done is seen wherever the overlay is scrolled to, and another page
// to be opened is seen from its beginning.
func TestNotice(t *testing.T) {
	t.Parallel()
	m := authflow.New(viewtest.Plain(t))
	m.SetSize(40, 12)
	in := stages()["waiting"]
	m.View(in)
	m.End()
	if got := viewtest.Text(m.View(in)); !strings.Contains(got, "the URL is on the clipboard") || !strings.Contains(got, "↑ more") {
		t.Errorf("at the end:\n%s", got)
	}
	in.URL = safetext.URL("https://issuer.example/device")
	if got := viewtest.Text(m.View(in)); strings.Contains(got, "↑") || !strings.Contains(got, "issuer.example/device") {
		t.Errorf("another page:\n%s", got)
	}
}

// The host in an address stands out, and nothing else of it does.
func TestHostStandsOut(t *testing.T) {
	t.Parallel()
	in := authflow.Input{Issuer: safetext.URL("https://good.example@evil.example/good.example")}
	theme := viewtest.Colour(t)
	screen := drawn(theme, in, 80, 24)
	if !strings.Contains(screen, theme.Strong.Render("evil.example")) || strings.Contains(screen, theme.Strong.Render("good.example")) {
		t.Errorf("%q", screen)
	}
	if !strings.Contains(screen, "has a user part that is not shown") {
		t.Errorf("no warning in\n%s", viewtest.Text(screen))
	}
}

// Moves go as far as there is something, and a new stage begins at its top.
func TestScroll(t *testing.T) {
	t.Parallel()
	m := authflow.New(viewtest.Plain(t))
	m.SetSize(40, 12)
	in := stages()["consent"]
	top := m.View(in)
	for _, step := range []struct {
		there, back func()
	}{
		{m.Down, m.Up}, {m.HalfDown, m.HalfUp}, {m.PageDown, m.PageUp}, {m.End, m.Home},
	} {
		step.there()
		if m.View(in) == top {
			t.Error("it does not go down")
		}
		step.back()
		if m.View(in) != top {
			t.Error("it does not come back")
		}
	}
	m.Up()
	if m.View(in) != top {
		t.Error("there is something above the top")
	}
	m.End()
	if end := viewtest.Text(m.View(in)); !strings.Contains(end, "write access") || !strings.Contains(end, "↑ more") || strings.Contains(end, "↓") {
		t.Errorf("the end is\n%s", end)
	}
	failed := stages()["failed"]
	if got, want := m.View(failed), drawn(viewtest.Plain(t), failed, 40, 12); got != want {
		t.Errorf("the next stage begins at\n%s", viewtest.Text(got))
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, in := range append([]authflow.Input{{}, {Stage: authflow.Working}, {Stage: authflow.Failed}, {Stage: authflow.Done}}, hostile()[0], stages()["waiting"], stages()["consent-warned"]) {
			for _, size := range viewtest.Sizes() {
				screen := drawn(theme, in, size.Width, size.Height)
				height := strings.Count(screen, "\n") + 1
				if height > size.Height {
					t.Fatalf("%d lines at %v", height, size)
				}
				viewtest.Check(t, screen, size.Width, height)
			}
		}
	}
}

// hostile are inputs in which everything is meant to do harm.
func hostile() []authflow.Input {
	var inputs []authflow.Input
	for _, s := range viewtest.Hostile() {
		text, link := safetext.Clean(s, 200), safetext.URL("https://"+s)
		for _, stage := range []authflow.Stage{authflow.Consent, authflow.Working, authflow.Failed, authflow.Done} {
			inputs = append(inputs, authflow.Input{
				Stage: stage, Server: text, Call: text, Reason: text, Description: text, Host: text, HostURL: link, Receives: text, Resource: link, Issuer: link,
				OtherIssuers: []safetext.Link{link}, OtherOrigins: []safetext.Link{link}, Scopes: []authflow.Scope{{Name: text, Asked: true}, {Name: text, Held: true}},
				Client: text, Metadata: authflow.Unavailable, MetadataNote: text, Warnings: []safetext.Text{text}, Progress: text, Since: text, Passed: []safetext.Text{text},
				URL: safetext.URL(s), Failure: authflow.Failure{Step: text, Cause: text, Expected: text, Received: text, Said: text, Remedy: text}, Notice: text, Keys: authflow.Keys{GoOn: text, Copy: text, Open: text, NotNow: text, Back: text},
			})
		}
	}
	return inputs
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, in := range hostile() {
		for _, size := range []viewtest.Size{{Width: 20, Height: 12}, {Width: 40, Height: 12}, {Width: 80, Height: 500}} {
			screen := drawn(viewtest.Colour(t), in, size.Width, size.Height)
			viewtest.Check(t, screen, size.Width, strings.Count(screen, "\n")+1)
		}
	}
}
