package guard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// Why a request came to nothing, beside [*URLError], [*AddressError] and the end of the caller's context. The first four
// may pass by themselves.
var (
	// ErrUnreachable says that the name is not known or nobody answers there.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrTimeout says that the answer, or a part of it, took too long.
	ErrTimeout = errors.New("the server takes too long to answer")
	// ErrBroken says that the connection broke off or what came is not HTTP.
	ErrBroken = errors.New("the server's answer is broken")
	// ErrUntrusted says that TLS failed: mostly that the certificate is not trusted here.
	ErrUntrusted = errors.New("the server's certificate is not trusted")
	// ErrRedirect says that a redirect was not followed.
	ErrRedirect = errors.New("the server's redirect is not followed")
	// ErrTooLarge says that the answer is larger than any honest one.
	ErrTooLarge = errors.New("the server's answer is too large")
)

// errBody marks errors that happened while the body was read.
var errBody = errors.New("reading the answer failed")

// Error is what every failure of a request is reported as.
type Error struct {
	Method string
	URL    string // without the query
	Err    error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Method, e.URL, e.Err) }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// newError reports err without anything that the peer wrote. A caller that gave up is told so.
func newError(parent context.Context, method string, u *url.URL, err error) *Error {
	if parent.Err() != nil {
		return &Error{Method: method, URL: shown(u), Err: context.Cause(parent)}
	}
	return &Error{Method: method, URL: shown(u), Err: withoutPeer(err)}
}

// withoutPeer keeps what is known to be harmless and replaces the rest: the errors of package http repeat lines of a
// malformed answer, and there may be a token in one.
func withoutPeer(err error) error {
	for _, own := range []error{ErrRedirect, ErrTooLarge} {
		if errors.Is(err, own) {
			return err
		}
	}
	if address, ok := errors.AsType[*AddressError](err); ok {
		return address
	}
	if text := certificateText(err); text != "" {
		return fmt.Errorf("%w: %s", ErrUntrusted, text)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return ErrTimeout
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return fmt.Errorf("%w: there is no host of that name", ErrUnreachable)
		}
		return fmt.Errorf("%w: its name cannot be resolved now", ErrUnreachable)
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			return fmt.Errorf("%w: %w", ErrUnreachable, errno)
		}
		return ErrUnreachable
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%w: the connection was closed too early", ErrBroken)
	case errors.Is(err, errBody):
		return fmt.Errorf("%w: it cannot be unpacked", ErrBroken)
	default:
		return fmt.Errorf("%w: it is not valid HTTP", ErrBroken)
	}
}

// certificateText says what is wrong with TLS, or nothing when it is not TLS that failed. What a certificate says of
// itself is not repeated.
func certificateText(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "it is for another host"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "it has expired or is not valid yet"
		}
		return "it is not valid"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its issuer is not known to this machine"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "it cannot be verified"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "what answers does not speak TLS"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return "it broke off the TLS handshake"
	}
	return ""
}
