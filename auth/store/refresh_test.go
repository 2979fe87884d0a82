package store

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ahptui/internal/secret"
)

// session is a store in this process, with a token.
func session(t *testing.T, change func(*Token)) (*Store, Token) {
	t.Helper()
	s := Open(t.Context(), Options{})
	token := anyToken(anyKey("a"), "access-0", "refresh-0")
	if change != nil {
		change(&token)
	}
	return s, put(t, s, token)
}

// gives is a request that is answered at once.
func gives(access, refresh string) Request {
	return func(_ context.Context, old Token) (Token, error) { return anyToken(old.Key, access, refresh), nil }
}

// fails is a request that is not answered, or badly.
func fails(err error) Request {
	return func(context.Context, Token) (Token, error) { return Token{}, err }
}

// never is a request that must not be made.
func never(t *testing.T) Request {
	t.Helper()
	return func(context.Context, Token) (Token, error) {
		t.Error("a request was made")
		return Token{}, errors.New("it must not be made")
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	s, first := session(t, func(t *Token) { t.ClientSecret, t.ClientMethod = secret.New("s"), "client_secret_post" })
	second, err := s.Refresh(t.Context(), first.Ref, func(_ context.Context, old Token) (Token, error) {
		if old.Refresh.Reveal() != "refresh-0" || old.ClientSecret.Reveal() != "s" || old.Attempted {
			t.Errorf("the request gets %+v", old)
		}
		if present, err := s.Get(t.Context(), old.Key); err != nil || present.Refresh.Reveal() != "refresh-0" {
			t.Errorf("the old token is gone before the new one is there: %v", err)
		}
		fresh := anyToken(NewKey("other", "other", "other", "other", nil), "access-1", "refresh-1")
		fresh.Granted, fresh.Skew, fresh.Refused = []string{"less"}, Skew{7, true}, 9
		return fresh, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	present, err := s.Get(t.Context(), first.Key)
	if err != nil || present.Ref != second.Ref || second.Key != first.Key || second.Generation == first.Generation {
		t.Errorf("there is %+v (%v) in place of %+v", present, err, first)
	}
	if second.Access.Reveal() != "access-1" || second.Refresh.Reveal() != "refresh-1" || second.Scopes()[0] != "less" ||
		second.ClientSecret.Reveal() != "s" || second.ClientMethod != "client_secret_post" || second.Skew.Seconds != 7 ||
		second.Refused != 0 || second.Attempted {
		t.Errorf("it became %+v", second)
	}
	// Who has seen the first one only gets the second, without a request.
	if late, err := s.Refresh(t.Context(), first.Ref, never(t)); err != nil || late.Ref != second.Ref {
		t.Errorf("who comes late gets %+v (%v)", late, err)
	}
	// A server that gives no new refresh token leaves the old one good.
	third, err := s.Refresh(t.Context(), second.Ref, gives("access-2", ""))
	if err != nil || third.Refresh.Reveal() != "refresh-1" {
		t.Errorf("the refresh token is %q (%v)", third.Refresh.Reveal(), err)
	}
	_, err = s.Refresh(t.Context(), Ref{anyKey("none"), 1}, never(t))
	wantErr(t, err, ErrNoToken)
}

// What a failed request leaves behind, by its error and by whether the access token still works.
func TestRefreshFails(t *testing.T) {
	t.Parallel()
	lost := errors.New("the line went dead")
	ended := func(t *Token) { t.Expires = time.Now().Add(-time.Second) }
	for name, tt := range map[string]struct {
		change       func(*Token)
		refused      bool
		why          error
		wantGone     bool
		wantRefresh  string
		wantAttempts bool // whether the next one is made, ahead of the end
	}{
		"ended by the server, works still":      {why: ErrInvalidGrant, wantRefresh: ""},
		"ended by the server, has ended":        {change: ended, why: ErrInvalidGrant, wantGone: true},
		"ended by the server, was refused":      {refused: true, why: ErrInvalidGrant, wantGone: true},
		"not reached":                           {why: ErrUnused, wantRefresh: "refresh-0", wantAttempts: true},
		"not reached, has ended":                {change: ended, why: ErrUnused, wantRefresh: "refresh-0", wantAttempts: true},
		"nobody knows, works still":             {why: lost, wantRefresh: "refresh-0"},
		"nobody knows, has ended":               {change: ended, why: lost, wantRefresh: "refresh-0", wantAttempts: true},
		"nobody knows, was refused":             {refused: true, why: lost, wantRefresh: "refresh-0", wantAttempts: true},
		"nobody knows, the end is not known":    {change: func(t *Token) { t.Expires = time.Time{} }, why: lost, wantRefresh: "refresh-0"},
		"a deadline, which is not known either": {why: context.DeadlineExceeded, wantRefresh: "refresh-0"},
	} {
		s, token := session(t, tt.change)
		if tt.refused {
			if _, err := s.Refuse(t.Context(), token.Ref); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.Refresh(t.Context(), token.Ref, fails(tt.why))
		wantErr(t, err, tt.why)
		left, err := s.Get(t.Context(), token.Key)
		if tt.wantGone {
			wantErr(t, err, ErrNoToken)
			continue
		}
		if err != nil || left.Access.Reveal() != "access-0" || left.Refresh.Reveal() != tt.wantRefresh || left.Ref != token.Ref {
			t.Errorf("%s: left is %+v (%v)", name, left, err)
		}
		requests := 0
		again, err := s.Refresh(t.Context(), token.Ref, func(_ context.Context, old Token) (Token, error) {
			requests++
			return anyToken(old.Key, "access-1", "refresh-1"), nil
		})
		switch {
		case tt.wantAttempts:
			if err != nil || requests != 1 {
				t.Errorf("%s: the next attempt: %v", name, err)
			}
		case tt.wantRefresh == "":
			wantErr(t, err, ErrNoRefresh)
		default:
			wantErr(t, err, ErrInterrupted)
			if requests != 0 || again.Access.Reveal() != "access-0" {
				t.Errorf("%s: a refresh token that may be used up was used", name)
			}
		}
	}
}

// While a token is refreshed, a person signs out, signs in anew, or the edition is removed.
func TestRefreshIsOvertaken(t *testing.T) {
	t.Parallel()
	during := func(s *Store, do func() error) Request {
		return func(_ context.Context, old Token) (Token, error) {
			return anyToken(old.Key, "refreshed", "refreshed"), do()
		}
	}
	s, token := session(t, nil)
	orphan, err := s.Refresh(t.Context(), token.Ref, during(s, func() error {
		out, err := s.SignOut(t.Context(), Which(token.Key.Subject()))
		if len(out.Tokens) != 1 {
			t.Errorf("signed out of %d", len(out.Tokens))
		}
		return err
	}))
	wantErr(t, err, ErrSignedOut)
	if orphan.Access.Reveal() != "refreshed" || orphan.Key != token.Key {
		t.Errorf("what is to be revoked is %+v", orphan)
	}
	if all, err := s.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("it is back: %+v (%v)", all, err)
	}

	s, token = session(t, nil)
	got, err := s.Refresh(t.Context(), token.Ref, during(s, func() error {
		_, err := s.Put(t.Context(), anyToken(token.Key, "signed in", "signed in"))
		return err
	}))
	if present, _ := s.Get(t.Context(), token.Key); err != nil || got.Access.Reveal() != "signed in" || present.Access.Reveal() != "signed in" {
		t.Errorf("the sign-in gave way to %+v (%v)", got, err)
	}
}

// Who waits no more is not kept waiting, but what the server then says is kept: the old refresh token is of no use any
// more. Nothing is waited for without end.
func TestRefreshOutlivesWhoAsked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cancelAfter, answerAfter time.Duration
		wantAfter                time.Duration
		wantKept                 bool
	}{
		"the answer comes first":         {time.Hour, time.Second, time.Second, true},
		"the answer comes soon after":    {time.Second, 2 * time.Second, 2 * time.Second, true},
		"the answer comes late":          {time.Second, time.Minute, 3 * time.Second, false},
		"the answer never comes":         {time.Hour, 2 * time.Hour, 30 * time.Second, false},
		"nobody waits from the first on": {0, time.Second, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, token := session(t, nil)
				ctx, cancel := context.WithTimeout(t.Context(), tt.cancelAfter)
				defer cancel()
				if tt.cancelAfter == 0 {
					ctx, cancel = context.WithCancel(t.Context())
					defer cancel()
				}
				began := time.Now()
				_, err := s.Refresh(ctx, token.Ref, func(ctx context.Context, old Token) (Token, error) {
					if tt.cancelAfter == 0 {
						cancel()
					}
					select {
					case <-time.After(tt.answerAfter):
						return anyToken(old.Key, "access-1", "refresh-1"), nil
					case <-ctx.Done():
						return Token{}, ctx.Err()
					}
				})
				if took := time.Since(began); took != tt.wantAfter {
					t.Errorf("it took %v, want %v", took, tt.wantAfter)
				}
				left, getErr := s.Get(t.Context(), token.Key)
				if kept := left.Access.Reveal() == "access-1"; kept != tt.wantKept || getErr != nil || (err == nil) != tt.wantKept {
					t.Errorf("kept: %v (%v, %v)", kept, err, getErr)
				}
				if left.Attempted == tt.wantKept {
					t.Error("it is not known whether the refresh token was used")
				}
			})
		})
	}
}

// Who waits for a turn waits no longer than its context, nor than a turn can take.
func TestRefreshWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, token := session(t, nil)
		release, err := s.turn(t.Context(), turnOf(token.Key))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err = s.Refresh(ctx, token.Ref, never(t))
		wantErr(t, err, context.DeadlineExceeded)
		_, err = s.Refresh(t.Context(), token.Ref, never(t))
		wantErr(t, err, ErrBusy)
		if took := time.Since(began); took != 5*time.Second+turnWait {
			t.Errorf("it took %v", took)
		}
		release()
		if _, err := s.Refresh(t.Context(), token.Ref, gives("access-1", "")); err != nil {
			t.Error(err)
		}
	})
}

// A request that panics lets the next one have its turn.
func TestRefreshPanics(t *testing.T) {
	t.Parallel()
	s, token := session(t, func(t *Token) { t.Expires = time.Now().Add(-time.Second) })
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Refresh(t.Context(), token.Ref, func(context.Context, Token) (Token, error) { panic("oh") })
	}()
	if _, err := s.Refresh(t.Context(), token.Ref, gives("access-1", "")); err != nil {
		t.Error(err)
	}
}

// Where nothing can be written, no refresh token is used up. When that shows only after it was, the new token is
// returned all the same.
func TestRefreshWithoutADisk(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := openIn(t, InFile, dir, nil)
	token := put(t, s, anyToken(anyKey(), "access-0", "refresh-0"))
	obstacle := s.Status().Path + ".new" // a directory in the place of the new file stops even root
	block := func() {
		if err := os.MkdirAll(obstacle+"/full", 0o700); err != nil {
			t.Fatal(err)
		}
	}
	block()
	if _, err := s.Refresh(t.Context(), token.Ref, never(t)); err == nil {
		t.Error("it was refreshed without a place for the new token")
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	fresh, err := s.Refresh(t.Context(), token.Ref, func(_ context.Context, old Token) (Token, error) {
		block()
		return anyToken(old.Key, "access-1", "refresh-1"), nil
	})
	wantErr(t, err, ErrNotKept)
	if fresh.Access.Reveal() != "access-1" {
		t.Errorf("the new token is lost: %+v", fresh)
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	// Nobody uses the old refresh token again while the access token works.
	_, err = s.Refresh(t.Context(), token.Ref, never(t))
	wantErr(t, err, ErrInterrupted)
}

// A token that was refused twice in a row, be it refreshed in between, is found by nobody.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	s, token := session(t, nil)
	find := func() error {
		_, err := s.Find(t.Context(), Want{Subject: token.Key.Subject()}, At(time.Now()))
		return err
	}
	refuse := func(r Ref) Token {
		t.Helper()
		now, err := s.Refuse(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	if now := refuse(token.Ref); now.Quarantined() || find() != nil {
		t.Error("it is quarantined after the first time")
	}
	fresh, err := s.Refresh(t.Context(), token.Ref, gives("access-1", "refresh-1"))
	if err != nil {
		t.Fatal(err)
	}
	if now := refuse(token.Ref); now.Quarantined() || now.Ref != fresh.Ref {
		t.Error("the refusal of an edition that is no more counts")
	}
	if err := s.Accept(t.Context(), fresh.Ref); err != nil {
		t.Fatal(err)
	}
	refuse(fresh.Ref)
	if find() != nil {
		t.Error("it is quarantined although it was accepted in between")
	}
	if now := refuse(fresh.Ref); !now.Quarantined() {
		t.Error("it is not quarantined")
	}
	wantErr(t, find(), ErrNoToken)
	put(t, s, anyToken(token.Key, "access-2", ""))
	if find() != nil {
		t.Error("a new sign-in is quarantined, too")
	}
	_, err = s.Refuse(t.Context(), Ref{anyKey("none"), 1})
	wantErr(t, err, ErrNoToken)
}

// Only the edition that is meant is removed.
func TestRemove(t *testing.T) {
	t.Parallel()
	s, token := session(t, nil)
	fresh, err := s.Refresh(t.Context(), token.Ref, gives("access-1", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), token.Ref); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), token.Key); err != nil {
		t.Error("a newer edition was removed")
	}
	if err := s.Remove(t.Context(), fresh.Ref); err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), token.Key)
	wantErr(t, err, ErrNoToken)
}

// While one key is refreshed, one of another turn can be.
func TestKeysDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := Open(t.Context(), Options{})
	a := put(t, s, anyToken(anyKey("a"), "access-a", "r"))
	var b Token
	for n := range 100 {
		key := anyKey("b" + string(rune('a'+n)))
		if turnOf(key) != turnOf(a.Key) {
			b = put(t, s, anyToken(key, "access-b", "r"))
			break
		}
	}
	var refreshed atomic.Bool
	_, err := s.Refresh(t.Context(), a.Ref, func(_ context.Context, old Token) (Token, error) {
		_, err := s.Refresh(t.Context(), b.Ref, gives("access-b1", ""))
		refreshed.Store(err == nil)
		return anyToken(old.Key, "access-a1", ""), nil
	})
	if err != nil || !refreshed.Load() {
		t.Errorf("the second waits for the first: %v", err)
	}
}
