package oauthserver_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"ahptui/internal/oauthserver"
)

func refresh(clientID, token string) url.Values {
	return url.Values{"grant_type": {oauthserver.GrantRefresh}, "client_id": {clientID}, "refresh_token": {token}, "resource": {resource}}
}

func (b *browser) good(token string) bool {
	_, err := b.s.Verify(token, resource)
	return err == nil
}

func TestRotation(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	b := start(t, oauthserver.Options{Now: func() time.Time { return now }, RefreshLifetime: time.Hour})
	id := b.every()
	q := query(id)
	q.Set("scope", "tracker:read tracker:write")
	first := b.token(exchange(id, b.code(q)))
	second := b.token(refresh(id, first.Refresh))
	if second.Token == first.Token || second.Refresh == first.Refresh || second.Refresh == "" || second.Scope != "tracker:read tracker:write" {
		t.Fatalf("after %+v came %+v", first, second)
	}
	if !b.good(first.Token) || !b.good(second.Token) {
		t.Error("both access tokens are to be good until they expire")
	}
	narrow := refresh(id, second.Refresh)
	narrow.Set("scope", "tracker:read")
	third := b.token(narrow)
	if g, err := b.s.Verify(third.Token, resource); err != nil || len(g.Scopes) != 1 {
		t.Errorf("narrowed: %+v, %v", g, err)
	}
	// The grant itself is as wide as before.
	wide := b.token(refresh(id, third.Refresh))
	if wide.Scope != "tracker:read tracker:write" {
		t.Errorf("after a narrowed one: %+v", wide)
	}
	now = now.Add(time.Hour + time.Second)
	if got := b.token(refresh(id, wide.Refresh)); got.Error != "invalid_grant" {
		t.Errorf("too late: %+v", got)
	}
}

// TestReuseEndsTheFamily: who comes with a token that was used before has stolen
// it, or was stolen from.
func TestReuseEndsTheFamily(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id := b.every()
	first := b.token(exchange(id, b.code(query(id))))
	other := b.token(exchange(id, b.code(query(id))))
	second := b.token(refresh(id, first.Refresh))
	if got := b.token(refresh(id, first.Refresh)); got.Error != "invalid_grant" {
		t.Errorf("the second use: %+v", got)
	}
	if b.good(first.Token) || b.good(second.Token) {
		t.Error("an access token of the family is still good")
	}
	if got := b.token(refresh(id, second.Refresh)); got.Error != "invalid_grant" {
		t.Errorf("the newest refresh token: %+v", got)
	}
	if !b.good(other.Token) || b.token(refresh(id, other.Refresh)).Token == "" {
		t.Error("another family was ended, too")
	}
}

func TestRefreshRefusals(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id, other := b.every(), b.every()
	codeOnly, _ := b.register(nil)
	token := b.token(exchange(id, b.code(query(id)))).Refresh
	for name, tt := range map[string]struct {
		change func(url.Values)
		want   string
	}{
		"other client":   {func(f url.Values) { f.Set("client_id", other) }, "invalid_grant"},
		"no resource":    {func(f url.Values) { f.Del("resource") }, "invalid_target"},
		"other resource": {func(f url.Values) { f.Set("resource", resource+"x") }, "invalid_target"},
		"more scopes":    {func(f url.Values) { f.Set("scope", "tracker:read tracker:write") }, "invalid_scope"},
		"unknown token":  {func(f url.Values) { f.Set("refresh_token", "x") }, "invalid_grant"},
		"not registered": {func(f url.Values) { f.Set("client_id", codeOnly) }, "unauthorized_client"},
	} {
		form := refresh(id, token)
		tt.change(form)
		if got := b.token(form); got.Error != tt.want {
			t.Errorf("%s: %+v, want %s", name, got, tt.want)
		}
	}
	if got := b.token(refresh(id, token)); got.Token == "" {
		t.Errorf("the refusals have used it up: %+v", got)
	}
	if got := b.token(exchange(codeOnly, b.code(query(codeOnly)))); got.Refresh != "" {
		t.Error("a client that registered for codes alone got a refresh token")
	}
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{})
	id, other := b.every(), b.every()
	revoke := func(clientID, token string) {
		t.Helper()
		if a := b.post(oauthserver.RevokePath, url.Values{"client_id": {clientID}, "token": {token}}); a.status != http.StatusOK {
			t.Errorf("revoke: %d %s", a.status, a.body)
		}
	}
	got := b.token(exchange(id, b.code(query(id))))
	revoke(other, got.Token)
	revoke(other, got.Refresh)
	revoke(id, "nobody's")
	if !b.good(got.Token) {
		t.Fatal("another client has ended the token")
	}
	revoke(id, got.Token)
	if b.good(got.Token) {
		t.Error("the access token is still good")
	}
	got = b.token(refresh(id, got.Refresh))
	if got.Token == "" {
		t.Fatalf("the refresh token went with the access token: %+v", got)
	}
	revoke(id, got.Refresh)
	if b.good(got.Token) || b.token(refresh(id, got.Refresh)).Error != "invalid_grant" {
		t.Error("what came of a revoked refresh token is still good")
	}
	if a := b.post(oauthserver.RevokePath, url.Values{"client_id": {id}}); a.status != http.StatusBadRequest {
		t.Errorf("without a token: %d", a.status)
	}
	if a := b.post(oauthserver.RevokePath, url.Values{"client_id": {"nobody"}, "token": {"x"}}); a.status != http.StatusUnauthorized {
		t.Errorf("without a client: %d", a.status)
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Narrow: func([]string) []string { return nil }})
	id := b.every()
	got := b.token(exchange(id, b.code(query(id))))
	if g, err := b.s.Verify(got.Token, resource); err != nil || len(g.Scopes) != 0 || got.Scope != "" {
		t.Errorf("%+v, %+v, %v", got, g, err)
	}
}
