package testwire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
)

// Proxy starts a proxy to the host at a URL, and returns the proxy's URL: it judges what a client of ours, in another
// process, and a host of ours tell one another. The test's end stops it.
func (j *Judge) Proxy(url string) string {
	ctx, cancel := context.WithCancel(context.Background())
	var carrying sync.WaitGroup
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, err := jsonrpc.Dial(r.Context(), url, jsonrpc.DialOptions{Token: secret.New(r.URL.Query().Get("tkn"))})
		if err != nil {
			http.Error(w, "the host is not there, or refuses", refusal(err))
			return
		}
		client, err := new(jsonrpc.Upgrader).Upgrade(w, r)
		if err != nil {
			_ = host.Close() // nothing was sent
			return
		}
		carrying.Go(func() { carry(ctx, client, j.Both(host)) })
	}))
	j.tb.Cleanup(func() {
		cancel()
		srv.Close()
		carrying.Wait()
	})
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// refusal is the status that a host answered with, as far as a client tells them apart.
func refusal(err error) int {
	switch {
	case errors.Is(err, jsonrpc.ErrTokenRefused), errors.Is(err, jsonrpc.ErrTokenWanted):
		return http.StatusForbidden
	case errors.Is(err, jsonrpc.ErrNotAHP):
		return http.StatusNotFound
	}
	return http.StatusBadGateway
}

// carry carries messages both ways until an end closes.
func carry(ctx context.Context, a, b jsonrpc.Transport) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var back sync.WaitGroup
	back.Go(func() {
		defer cancel()
		copyMessages(ctx, a, b)
	})
	copyMessages(ctx, b, a)
	cancel()
	back.Wait()
	_, _ = a.Close(), b.Close() // both are over
}

func copyMessages(ctx context.Context, to, from jsonrpc.Transport) {
	for {
		msg, err := from.Read(ctx)
		if err == nil {
			err = to.Write(ctx, msg)
		}
		if err != nil {
			return
		}
	}
}
