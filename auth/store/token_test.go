package store

import (
	"strings"
	"testing"
	"time"

	"ahptui/internal/secret"
)

func TestKey(t *testing.T) {
	t.Parallel()
	a := NewKey("h", "r", "i", "c", []string{"write", "read", "write"})
	if b := NewKey("h", "r", "i", "c", []string{"read", "write"}); a != b || strings.Join(a.ScopeList(), ",") != "read,write" {
		t.Errorf("%+v and %+v differ", a, b)
	}
	if none := NewKey("h", "r", "i", "c", nil); none.Scopes != "" || len(none.ScopeList()) != 0 {
		t.Errorf("no scopes are %q", none.Scopes)
	}
	for name, other := range map[string]Key{
		"host":     NewKey("h2", "r", "i", "c", []string{"read"}),
		"resource": NewKey("h", "r/", "i", "c", []string{"read"}),
		"issuer":   NewKey("h", "r", "i/", "c", []string{"read"}),
		"client":   NewKey("h", "r", "i", "c2", []string{"read"}),
		"scopes":   NewKey("h", "r", "i", "c", []string{"admin"}),
	} {
		if a.covers(other) {
			t.Errorf("it covers another %s", name)
		}
	}
	if !a.covers(NewKey("h", "r", "i", "c", []string{"read"})) || !a.covers(a) {
		t.Error("it does not cover less of the same")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxSecretBytes+1)
	for name, tt := range map[string]struct {
		change func(*Token)
		want   string
	}{
		"good":             {func(*Token) {}, ""},
		"largest":          {func(t *Token) { t.Access, t.Refresh = secret.New(long[1:]), secret.New(long[1:]) }, ""},
		"no host":          {func(t *Token) { t.Key.Host = "" }, "which host"},
		"no resource":      {func(t *Token) { t.Key.Resource = "" }, "which resource"},
		"no access token":  {func(t *Token) { t.Access = secret.Value{} }, "no access token"},
		"large access":     {func(t *Token) { t.Access = secret.New(long) }, "larger than"},
		"large refresh":    {func(t *Token) { t.Refresh = secret.New(long) }, "larger than"},
		"large secret":     {func(t *Token) { t.ClientSecret = secret.New(long) }, "larger than"},
		"long resource":    {func(t *Token) { t.Key.Resource = long }, "more than"},
		"long issuer":      {func(t *Token) { t.Key.Issuer = long }, "more than"},
		"many scopes":      {func(t *Token) { t.Key.Scopes = long }, "scopes take more"},
		"much granted":     {func(t *Token) { t.Granted = []string{long} }, "too long"},
		"not UTF-8":        {func(t *Token) { t.Access = secret.New("a\xff") }, "not UTF-8"},
		"key is not UTF-8": {func(t *Token) { t.Key.Client = "a\xff" }, "not UTF-8"},
	} {
		token := anyToken(anyKey("a"), "canary", "canary")
		tt.change(&token)
		err := token.check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: err = %v, want %q", name, err, tt.want)
		}
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	put := func(t *testing.T, c *content, token Token) Token {
		t.Helper()
		kept, err := c.put(token)
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	t.Run("each change has a generation of its own", func(t *testing.T) {
		t.Parallel()
		var c content
		first := put(t, &c, anyToken(anyKey("a"), "1", ""))
		second := put(t, &c, anyToken(anyKey("b"), "2", ""))
		third := put(t, &c, anyToken(anyKey("a"), "3", ""))
		if first.Generation >= second.Generation || second.Generation >= third.Generation || len(c.Tokens) != 2 {
			t.Errorf("generations %d, %d, %d of %d", first.Generation, second.Generation, third.Generation, len(c.Tokens))
		}
	})
	t.Run("more takes the place of less of the same grant", func(t *testing.T) {
		t.Parallel()
		var c content
		put(t, &c, anyToken(anyKey("read"), "1", ""))
		other := anyToken(anyKey("read"), "2", "")
		other.Key.Host = "wss://other.example:443/"
		put(t, &c, other)
		put(t, &c, anyToken(anyKey("read", "write"), "3", ""))
		if len(c.Tokens) != 2 || c.token(anyKey("read")) != nil || c.token(other.Key) == nil {
			t.Errorf("there are %+v", c.Tokens)
		}
	})
	t.Run("but not when less was granted than asked for", func(t *testing.T) {
		t.Parallel()
		var c content
		put(t, &c, anyToken(anyKey("read"), "1", ""))
		wide := anyToken(anyKey("read", "write"), "2", "")
		wide.Granted = []string{"write"}
		put(t, &c, wide)
		if c.token(anyKey("read")) == nil {
			t.Error("what was granted before is lost")
		}
	})
	t.Run("a full one makes room by what is of no use, and is full else", func(t *testing.T) {
		t.Parallel()
		var c content
		for n := range maxTokens {
			token := anyToken(anyKey(strings.Repeat("x", n+1)), "1", "r")
			if n == 7 {
				token.Refresh, token.Expires = secret.Value{}, time.Now().Add(-time.Minute)
			}
			put(t, &c, token)
		}
		put(t, &c, anyToken(anyKey("one"), "1", ""))
		put(t, &c, anyToken(anyKey("one"), "2", "")) // in place of the one before
		_, err := c.put(anyToken(anyKey("two"), "1", ""))
		wantErr(t, err, ErrFull)
		if len(c.Tokens) != maxTokens {
			t.Errorf("there are %d", len(c.Tokens))
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	ended := func(t *Token) { t.Expires = time.Now().Add(-time.Minute) }
	type held struct {
		access string
		key    Key
		change func(*Token)
	}
	read, write := anyKey("read"), anyKey("read", "write")
	elsewhere := NewKey("wss://evil.example:443/", read.Resource, read.Issuer, read.Client, []string{"read"})
	moved := NewKey(read.Host, read.Resource, "https://other-as.example", read.Client, []string{"read"})
	given := NewKey(read.Host, read.Resource, "", "", nil)
	for name, tt := range map[string]struct {
		held []held
		want Want
		get  string // the access token; empty for none
	}{
		"none":                      {nil, Want{Subject: read.Subject()}, ""},
		"the one":                   {[]held{{"1", read, nil}}, Want{Subject: read.Subject(), Scopes: []string{"read"}}, "1"},
		"without scopes":            {[]held{{"1", read, nil}}, Want{Subject: read.Subject()}, "1"},
		"another host's":            {[]held{{"1", elsewhere, nil}}, Want{Subject: read.Subject()}, ""},
		"another issuer's":          {[]held{{"1", moved, nil}}, Want{Subject: read.Subject(), Issuers: []string{read.Issuer}}, ""},
		"one of the issuers":        {[]held{{"1", moved, nil}}, Want{Subject: read.Subject(), Issuers: []string{read.Issuer, moved.Issuer}}, "1"},
		"no issuer will do":         {[]held{{"1", read, nil}}, Want{Subject: read.Subject(), Issuers: []string{}}, ""},
		"handed over by the person": {[]held{{"1", given, nil}}, Want{Subject: read.Subject(), Issuers: []string{read.Issuer}}, "1"},
		"too few scopes":            {[]held{{"1", read, nil}}, Want{Subject: read.Subject(), Scopes: []string{"write"}}, ""},
		"enough scopes":             {[]held{{"1", write, nil}}, Want{Subject: read.Subject(), Scopes: []string{"write"}}, "1"},
		"less was granted":          {[]held{{"1", write, func(t *Token) { t.Granted = []string{"read"} }}}, Want{Subject: read.Subject(), Scopes: []string{"write"}}, ""},
		"more was granted":          {[]held{{"1", read, func(t *Token) { t.Granted = []string{"read", "write"} }}}, Want{Subject: read.Subject(), Scopes: []string{"write"}}, "1"},
		"nothing was granted":       {[]held{{"1", read, func(t *Token) { t.Granted = []string{} }}}, Want{Subject: read.Subject(), Scopes: []string{"read"}}, ""},
		"refused once":              {[]held{{"1", read, func(t *Token) { t.Refused = 1 }}}, Want{Subject: read.Subject()}, "1"},
		"refused twice":             {[]held{{"1", read, func(t *Token) { t.Refused = 2 }}}, Want{Subject: read.Subject()}, ""},
		"ended, can be refreshed":   {[]held{{"1", read, ended}}, Want{Subject: read.Subject()}, "1"},
		"ended for good": {[]held{{"1", read, func(t *Token) {
			ended(t)
			t.Refresh = secret.Value{}
		}}}, Want{Subject: read.Subject()}, ""},
		"the latest":             {[]held{{"1", moved, nil}, {"2", read, nil}}, Want{Subject: read.Subject()}, "2"},
		"what works comes first": {[]held{{"1", moved, nil}, {"2", read, ended}}, Want{Subject: read.Subject()}, "1"},
	} {
		var c content
		for _, h := range tt.held {
			token := anyToken(h.key, h.access, "r")
			if h.change != nil {
				h.change(&token)
			}
			token.Generation = c.next()
			c.Tokens = append(c.Tokens, token)
		}
		before := len(c.Tokens)
		got, ok := c.find(tt.want, At(time.Now()))
		if ok != (tt.get != "") || got.Access.Reveal() != tt.get || len(c.Tokens) != before {
			t.Errorf("%s: found %v %q, want %q", name, ok, got.Access.Reveal(), tt.get)
		}
	}
}
