package store_test

import (
	"context"
	"fmt"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/secret"
)

// From a sign-in to a refreshed token at every connection to its host, and out again.
func Example() {
	ctx := context.Background()
	// A program gives a directory and store.SystemKeyring(); without them tokens are kept in the process.
	tokens := store.Open(ctx, store.Options{})
	fmt.Println("tokens are kept", tokens.Status())

	const host, resource = "wss://host.example:443/", "https://mcp.example/files"
	key := store.NewKey(host, resource, "https://as.example", "client-1", []string{"files:read"})
	begun := time.Now()
	held, err := tokens.Put(ctx, store.Token{
		Ref:    store.Ref{Key: key},
		Access: secret.New("a"), Refresh: secret.New("r"), ClientMethod: "none",
		Obtained: begun, Expires: begun.Add(time.Hour),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// Who pushes a token notes it.
	var holders store.Holders
	for _, connection := range []string{"1", "2"} {
		holders.Pushed(store.Holder{Host: host, Connection: connection}, held.Ref)
	}
	seconds, _ := held.ExpiresIn(store.At(begun))
	fmt.Println("pushed, expires in", seconds)
	due, _ := held.Due(store.At(begun), 0)
	fmt.Println("due after", due.Sub(begun)) // to be given to a store.Schedule

	// When it is due, or its host says that it has expired.
	fresh, err := tokens.Refresh(ctx, held.Ref, func(_ context.Context, old store.Token) (store.Token, error) {
		fmt.Println("ask", old.Key.Issuer)
		now := time.Now()
		return store.Token{Access: secret.New("a2"), Refresh: secret.New("r2"), Obtained: now, Expires: now.Add(time.Hour)}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, behind := range holders.Behind(fresh.Ref) {
		fmt.Println("push to", behind.Connection)
		holders.Pushed(behind, fresh.Ref)
	}

	out, err := tokens.SignOut(ctx, store.Which{Host: host})
	for _, t := range out.Tokens {
		fmt.Println("revoke at", t.Key.Issuer, err)
	}
	for _, holder := range holders.Of(store.Which{Host: host}) {
		fmt.Println("empty", holder.Connection)
	}
	about, _ := tokens.Memory().About(ctx, key.Subject())
	fmt.Println("signed out:", about.SignedOut)

	// Output:
	// tokens are kept in this program until it ends
	// pushed, expires in 3600
	// due after 48m0s
	// ask https://as.example
	// push to 1
	// push to 2
	// revoke at https://as.example <nil>
	// empty 1
	// empty 2
	// signed out: true
}
