package tui

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/oauthserver"
)

// TestStorage: where tokens are kept is told, and can be chosen; the choice is
// one for good.
func TestStorage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tokens")
	config := auth.Config{Store: store.Open(t.Context(), store.Options{Dir: dir})}
	d := startSignInDriver(t, large, config, oauthserver.Options{})
	d.do(d.m.Init())
	d.until("look at the store", func() bool { return d.m.storage.status.Place != "" })
	d.clock = time.Now() // by which tokens are judged
	d.signedIn()
	d.sees("the token is kept in this program until it ends, as there is no keyring; K keeps it for longer")
	d.m.servers.Select(d.m.refOf("id-tracker"))
	d.key("tab", "enter")
	d.sees("for tracker:read, ends in ", "in this program until it ends")
	d.key("esc", "K")
	d.sees("Where are tokens kept?", "Not the keyring: ")
	d.key("2")
	d.shows("tokens are kept not encrypted, readable by you alone, in " + dir)
	again := store.Open(context.Background(), store.Options{Dir: dir})
	if tokens, err := again.All(t.Context()); err != nil || len(tokens) != 1 || again.Status().Place != store.InFile {
		t.Errorf("%d tokens in %v, %v", len(tokens), again.Status(), err)
	}
	d.key("K", "3")
	d.shows("tokens stay where they are")
}
