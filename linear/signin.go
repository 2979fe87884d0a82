package linear

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"ahptui/auth"
	"ahptui/protocol"
)

// signIn is a sign-in from the choice that began it until the host has the token.
type signIn struct {
	block     string // the id of what waits
	challenge auth.Challenge
	flow      *auth.Flow
	method    auth.Method
	methods   []auth.Method
	waits     bool // for a browser: an address can be pasted
	client    *auth.NeedClient
	shown     time.Time // when the client was asked for
	grant     *auth.Grant
}

// askAccess asks whether access is to be granted.
func (f *front) askAccess(q *question, b protocol.Block) {
	challenge, err := f.challenge(b)
	q.tell = func() {
		f.out.say(join("question: "+f.blockWords(b), requirementWords(b.Auth)))
		if b.Auth.Description != "" { // nobody vouches for it
			f.out.block("it says: ", b.Auth.Description)
		}
		if err != nil {
			f.out.sayf("access cannot be granted from here: %v", err)
		} else {
			f.tellHeld(challenge)
		}
	}
	if f.opts.Auth != nil && err == nil {
		q.choices = append(q.choices, choice{words: "grant access", do: func() { f.beginSignIn(b, challenge, "") }})
	}
	if b.ToolCall != nil {
		q.choices = append(q.choices, choice{words: "cancel the call", do: func() {
			f.reply(b, protocol.CancelCall(b.TurnID, b.ToolCall), "cancel "+f.callNameIn(b.Session, b.ToolCall))
		}})
	}
}

// tellHeld tells who signs people in, and what was granted before.
func (f *front) tellHeld(c auth.Challenge) {
	if len(c.Issuers) > 0 {
		f.out.say("sign in at:")
		f.out.url(c.Issuers[0])
	}
	if f.opts.Auth == nil {
		return
	}
	if scopes, ok := f.opts.Auth.Held(c.Key()); ok && len(scopes) > 0 {
		f.out.say("you granted: " + strings.Join(scopes, " "))
	}
}

// beginSignIn starts a flow, by a way if one is wanted.
func (f *front) beginSignIn(b protocol.Block, c auth.Challenge, by auth.Method) {
	if !f.connected() {
		return
	}
	f.question = nil
	s := &signIn{block: b.ID, challenge: c}
	f.signIn = s
	s.flow = f.opts.Auth.StartBy(f.ctx, by, c)
	f.out.sayf("signing in for %s; “giveup” ends it", askedFor(c))
	f.nextEvent(s, 0)
}

// nextEvent waits for an event of a flow.
func (f *front) nextEvent(s *signIn, n int) {
	f.do(func(ctx context.Context) func() {
		event, ok := s.flow.Event(ctx, n)
		if !ok {
			return nil
		}
		return func() {
			if f.signIn != s {
				return
			}
			if f.event(s, event) {
				f.nextEvent(s, n+1)
			}
		}
	})
}

// event tells an event of a flow; more is false if it was the last.
func (f *front) event(s *signIn, event auth.Event) (more bool) {
	if _, late := event.(auth.NotOpened); !late { // what was asked before is not asked any more
		f.question, s.client = nil, nil
	}
	switch e := event.(type) {
	case auth.NeedConsent:
		f.askConsent(s, e)
	case auth.NeedReach:
		f.askReach(s, e)
	case auth.NeedClient:
		f.askClient(s, e)
	case auth.NeedToken:
		f.out.sayf("%s wants a token that you have got elsewhere: it cannot be typed here, where it would be shown; “ahptui auth login” takes it from a file", e.Resource)
		s.flow.Answer(e.Question, auth.Answer{})
	case auth.Done:
		s.grant = &e.Grant
		f.handOver(s)
		return false
	case auth.Failed:
		f.flowFailed(s, e.Failure)
		return false
	default:
		f.progress(s, event)
	}
	return true
}

// progress tells the events that only tell.
func (f *front) progress(s *signIn, event auth.Event) {
	switch e := event.(type) {
	case auth.Discovering:
		f.out.say("finding out who signs people in")
	case auth.Refreshing:
		f.out.say("getting a newer token, without you")
	case auth.PersonNeeded:
		f.out.sayf("what is held does not do: %v", e.Why)
	case auth.NotKept:
		f.out.sayf("not kept beyond this program: %v", e.Err)
	case auth.Registering:
		f.out.say("making this program known there")
	case auth.Supplying:
		f.out.say("fetching the token from " + e.From)
	case auth.Excepted:
		for _, x := range e.Exceptions {
			f.out.sayf("warning: by your configuration file, %s for %s", x.Rule, e.Issuer)
		}
	case auth.Chosen:
		s.method, s.methods = e.Method, e.Methods
	case auth.UserCode:
		f.out.say("open this address in a browser, on any machine:")
		f.out.url(e.VerificationURI)
		f.out.say("and type this code there, only if you began this yourself:")
		f.out.say(e.UserCode)
		f.offerWays(s)
	case auth.OpenURL:
		f.out.say("open this address in a browser:")
		f.out.url(e.URL)
	case auth.Waiting:
		s.waits = true
		if e.Tunnel != "" {
			f.out.say("for a browser on another machine, run there first:")
			f.out.say(e.Tunnel)
		}
		f.out.say("waiting for the answer; the address at which the browser ends can be typed here as well")
		f.offerWays(s)
	case auth.NotOpened:
		f.out.sayf("no browser was opened: %v", e.Err)
	case auth.Exchanging:
		s.waits = false
		f.out.say("signed in, fetching the token")
	}
}

// offerWays offers to go on in another way.
func (f *front) offerWays(s *signIn) {
	q := &question{tell: func() {}}
	q.choices = append(q.choices, choice{words: "give it up", do: f.giveUp})
	for _, m := range s.methods {
		if m == s.method || m == auth.ByToken {
			continue
		}
		q.choices = append(q.choices, choice{words: methodWords(m), do: func() {
			if !s.flow.Switch(m) {
				f.out.say("that is not possible now")
			}
		}})
	}
	f.ask(q)
}

func methodWords(m auth.Method) string {
	switch m {
	case auth.ByBrowser:
		return "by a browser of this machine"
	case auth.ByDevice:
		return "by a code that is typed on any machine"
	case auth.ByPaste:
		return "by an address that is pasted"
	case auth.ByToken:
		return "by a token from elsewhere"
	}
	return string(m)
}

// askConsent asks whether the host may have a token.
func (f *front) askConsent(s *signIn, e auth.NeedConsent) {
	q := &question{tell: func() { f.tellConsent(e) }}
	say := func(words string, a auth.Answer) choice {
		return choice{words: words, do: func() {
			f.question = nil
			s.flow.Answer(e.Question, a)
		}}
	}
	q.choices = append(q.choices, say("allow and sign in", auth.Answer{Yes: true}), say("not now", auth.Answer{}), say("never for this host", auth.Answer{Never: true}))
	for _, m := range e.Methods {
		if m != e.Method && m != auth.ByToken {
			q.choices = append(q.choices, say("allow, "+methodWords(m), auth.Answer{Yes: true, Method: m}))
		}
	}
	f.ask(q)
}

// tellConsent tells who wants what, and from where.
func (f *front) tellConsent(e auth.NeedConsent) {
	f.out.say("question: may the host have a token?")
	f.field("token for", e.Resource)
	f.field("of the site", e.ResourceSite)
	f.field("which calls itself", e.ResourceName)
	host := e.Host.ID
	if e.NewHost {
		host += ", which has had none from here yet"
	}
	f.field("goes to", host)
	if e.Supply != "" {
		f.field("comes from", e.Supply)
	} else {
		f.field("sign in at", e.Issuer)
		f.field("of the site", e.IssuerSite)
		f.field("scopes", cmp.Or(strings.Join(e.Scopes.Request, " "), "as the server decides"))
		f.field("way", methodWords(e.Method))
	}
	f.field("held so far", strings.Join(e.Scopes.Held, " "))
	f.field("leads also to", strings.Join(e.OtherOrigins, ", "))
	if e.PreviousIssuer != "" {
		f.field("warning: until now the authorization server was", e.PreviousIssuer)
	}
	for _, x := range e.Exceptions {
		f.out.sayf("warning: by your configuration file, %s for this server", x.Rule)
	}
	if e.Agreement.Verified {
		f.out.say("the metadata of the resource itself say the same")
	} else {
		f.field("the resource itself could not be asked", e.Agreement.Why)
	}
}

// askReach asks whether a server that is not on the public internet may be
// contacted.
func (f *front) askReach(s *signIn, e auth.NeedReach) {
	where := "on this machine, at "
	if e.Private {
		where = "in a private network, at "
	}
	answer := func(words string, yes bool) choice {
		return choice{words: words, do: func() {
			f.question = nil
			s.flow.Answer(e.Question, auth.Answer{Yes: yes})
		}}
	}
	f.ask(&question{
		tell:    func() { f.out.sayf("question: contact the authorization server %s %s%s?", e.Issuer, where, e.Address) },
		choices: []choice{answer("contact it", true), answer("do not", false)},
	})
}

// askClient asks for the id of a client that is registered at a server.
func (f *front) askClient(s *signIn, e auth.NeedClient) {
	s.client = &e
	if e.Why != nil {
		f.out.say(e.Why.Error())
	}
	f.out.sayf("%s does not let this program make itself known; register a public client there, with this redirect URI:", e.Issuer)
	f.out.url(e.RedirectURI)
	f.out.say("and type its client id; one with a secret belongs into the configuration file")
	s.shown = f.now()
}

// signInLine takes a line that belongs to the sign-in; ok is false if it does not.
func (f *front) signInLine(line typed) (ok bool) {
	s := f.signIn
	text := strings.TrimSpace(line.text)
	switch {
	case s == nil || text == "":
		return false
	case s.client != nil && !strings.Contains(text, " ") && !isWord(text):
		if line.at.Before(s.shown.Add(reading)) {
			s.shown = f.now()
			f.out.say("not taken: it was asked for only just now. Type it again")
			return true
		}
		s.flow.Answer(s.client.Question, auth.Answer{Yes: true, ClientID: text})
		s.client = nil
		return true
	case s.waits && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")):
		if err := s.flow.Paste(text); err != nil {
			f.out.sayf("not taken: %v", err)
		}
		return true
	}
	return false
}

// flowFailed tells why there is no token.
func (f *front) flowFailed(s *signIn, failure *auth.Failure) {
	switch {
	case errors.Is(failure, auth.ErrCancelled):
	case errors.Is(failure, auth.ErrNever):
		f.out.sayf("this host is not to ask for %s any more", askedFor(s.challenge))
	case errors.Is(failure, auth.ErrDeclined):
		f.out.say("access was not granted")
	default:
		f.out.say(join("the sign-in failed at "+string(failure.Step), failure.Err.Error(), failure.Remedy))
		f.field("expected", failure.Expected)
		f.field("received", failure.Received)
		f.field("the server says", failure.Said)
	}
	f.endSignIn()
	f.putOff(s.block)
}

// handOver gives the token to the host.
func (f *front) handOver(s *signIn) {
	f.out.say("handing the token to the host")
	grant, host, broker := *s.grant, f.opts.Host, f.opts.Auth
	f.do(func(ctx context.Context) func() {
		err := handToHost(ctx, host, broker, grant)
		return func() {
			if f.signIn != s {
				return
			}
			f.endSignIn()
			if err != nil {
				f.out.sayf("the host did not take the token: %v", err)
				return
			}
			f.out.say(strings.TrimSuffix("the host has the token: "+strings.Join(grant.Scopes, " "), ": "))
			f.waitForHost(s)
		}
	})
}

// waitForHost gives the host time to go on before anybody is asked again.
func (f *front) waitForHost(s *signIn) {
	key := s.challenge.Key()
	t := f.held.looked[key]
	if t == nil {
		t = &heldToken{challenge: s.challenge}
		f.held.looked[key] = t
	}
	t.from, t.person, t.due = f.wants()[key], false, f.now().Add(auth.HostPatience)
}

// giveUp ends the sign-in that is under way.
func (f *front) giveUp() {
	if f.signIn == nil {
		f.out.say("no sign-in is under way")
		return
	}
	block := f.signIn.block
	f.endSignIn()
	f.out.say("the sign-in was given up")
	f.putOff(block)
}

// endSignIn ends a sign-in, and what it asks.
func (f *front) endSignIn() {
	f.signIn.flow.Cancel()
	f.signIn = nil
	if f.question != nil && f.question.block == "" {
		f.question = nil
	}
}
