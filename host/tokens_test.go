package host

import (
	"fmt"
	"testing"
	"time"

	"ahptui/internal/secret"
)

func TestGrantSatisfies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		has, needs []string
		want       bool
	}{
		{nil, nil, true},
		{nil, []string{"a"}, true}, // nobody knows what it has
		{[]string{}, nil, true},
		{[]string{}, []string{"a"}, false},
		{[]string{"a", "b"}, []string{"b"}, true},
		{[]string{"a"}, []string{"a", "b"}, false},
		{[]string{"A"}, []string{"a"}, false},
	} {
		if got := (&grant{scopes: tt.has}).satisfies(tt.needs); got != tt.want {
			t.Errorf("%q satisfies %q: %v", tt.has, tt.needs, got)
		}
	}
}

func TestTokensAreForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	all := tokens{}
	all.put("lasting", &grant{token: secret.New("1")}, now)
	all.put("short", &grant{token: secret.New("2"), expires: now.Add(time.Second)}, now)
	if all.get("short", now.Add(time.Second-1)) == nil || all.get("short", now.Add(time.Second)) != nil {
		t.Error("a token does not end when it says")
	}
	all.refused("lasting", secret.New("another"))
	if all.get("lasting", now.Add(time.Hour)) == nil {
		t.Error("a token is forgotten because another was refused")
	}
	all.forget(now.Add(time.Minute))
	if len(all) != 1 {
		t.Errorf("%d tokens are left, want 1", len(all))
	}
	all.refused("lasting", secret.New("1"))
	if len(all) != 0 {
		t.Error("a refused token is remembered")
	}
	for i := range 2 * maxTokens {
		all.put(fmt.Sprint(i), &grant{token: secret.New("x")}, now)
	}
	if len(all) != maxTokens || all.get(fmt.Sprint(2*maxTokens-1), now) == nil {
		t.Errorf("%d tokens are remembered, the last one: %v", len(all), all.get(fmt.Sprint(2*maxTokens-1), now) != nil)
	}
}
