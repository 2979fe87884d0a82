package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"ahptui/internal/guard"
)

const (
	callbackPath = "/callback"
	ipv4         = "127.0.0.1"
	ipv6         = "::1"
	localhost    = "localhost"
)

// Redirect is where a browser comes back to: a port of this machine (RFC 8252, section 7.3). The zero Redirect is any
// port that is free, at 127.0.0.1.
type Redirect struct {
	Host string // 127.0.0.1 or localhost, as the client is registered; empty means 127.0.0.1
	Port int    // 0 means any that is free; another one is never slid away from
}

// Check refuses what is no place of this machine.
func (r Redirect) Check() error {
	switch {
	case r.Host != "" && r.Host != ipv4 && r.Host != localhost:
		return fmt.Errorf("a browser can come back to %s or %s only, not to %q", ipv4, localhost, r.Host)
	case r.Port < 0 || r.Port > 65535:
		return fmt.Errorf("%d is no port", r.Port)
	}
	return nil
}

func (r Redirect) host() string {
	if r.Host == localhost {
		return localhost
	}
	return ipv4
}

// bindTries is how often a port that is free at both addresses is looked for.
const bindTries = 8

// bind opens a port, 0 for any. The name localhost may lead to either address, so that the port has to be ours at both.
func (r Redirect) bind(ctx context.Context, port int) ([]net.Listener, error) {
	for try := 1; ; try++ {
		tcp, err := r.bindOnce(ctx, port)
		switch {
		case err == nil:
			return tcp, nil
		case r.Port != 0:
			return nil, errTaken(r, err)
		case port != 0 || r.host() != localhost || try == bindTries:
			return nil, fmt.Errorf("open a port on %s for the browser to come back to: %w", r.host(), err)
		}
	}
}

func (r Redirect) bindOnce(ctx context.Context, port int) ([]net.Listener, error) {
	var config net.ListenConfig
	first, err := config.Listen(ctx, "tcp4", net.JoinHostPort(ipv4, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if r.host() != localhost || !hasAddress(ipv6) {
		return []net.Listener{first}, nil
	}
	second, err := config.Listen(ctx, "tcp6", net.JoinHostPort(ipv6, strconv.Itoa(portOf(first))))
	if err != nil {
		_ = first.Close()
		return nil, err
	}
	return []net.Listener{first, second}, nil
}

// hasAddress reports whether this machine has an address. Where it has none of IPv6, nobody else can have the port there.
func hasAddress(address string) bool {
	addrs, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().String() == address
	})
}

// maxPasted bounds what can be pasted.
const maxPasted = 16 << 10

// pastedQuery takes the query out of the address at which a browser ended. It must be the whole address: a code alone
// says neither to which request it belongs nor which server gave it.
func pastedQuery(text, redirectURI string) (string, error) {
	// A terminal that wraps lines leaves line breaks in what is copied; an address has none of its own.
	text = strings.Join(strings.Fields(text), "")
	if len(text) > maxPasted {
		return "", fmt.Errorf("that is longer than any address (%d bytes)", maxPasted)
	}
	if !strings.Contains(text, "://") && strings.Contains(text, callbackPath) {
		text = "http://" + text // some browsers do not show it
	}
	address, query, found := strings.Cut(text, "?")
	switch {
	case !strings.Contains(text, "://"):
		return "", errors.New("that is not an address: a code alone is not taken, since nothing shows which sign-in it belongs to. Paste the whole address, from http:// on")
	case address != redirectURI:
		return "", fmt.Errorf("that is another address: it begins with %s, and %s is waited for. Sign in first, and paste where that ends", bounded(guard.Shown(address)), redirectURI)
	case !found:
		return "", errors.New("the address is cut off: it has to hold a question mark and what comes after it")
	}
	query, _, _ = strings.Cut(query, "#") // some servers add an empty one
	return query, nil
}
