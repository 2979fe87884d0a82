package ahpclient

import (
	"errors"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// AuthRequiredError says that somebody has to sign in before the host does what it
// was asked for. Once that is done the same may be asked again.
type AuthRequiredError struct {
	// Resources are what a token is needed for, a few at most; none if the host
	// does not say.
	Resources []*protocol.ProtectedResourceMetadata
	Err       error // the refusal itself, which wraps a [*jsonrpc.Error]
}

// Error is the host's refusal.
func (e *AuthRequiredError) Error() string { return e.Err.Error() }

// Unwrap is the host's refusal, which wraps a [*jsonrpc.Error].
func (e *AuthRequiredError) Unwrap() error { return e.Err }

// PermissionError says that the host does not give access to a resource.
type PermissionError struct {
	// Request is what to ask for with [Client.RequestResource] in order to get
	// it; nil if that is not possible.
	Request *protocol.ResourceRequestParams
	cause   error
}

// Error is the host's refusal.
func (e *PermissionError) Error() string { return e.cause.Error() }

// Unwrap is the host's refusal, which wraps a [*jsonrpc.Error].
func (e *PermissionError) Unwrap() error { return e.cause }

// typedRefusal makes a typed error of a host's refusal that says what helps.
func typedRefusal(err error) error {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		return err
	}
	// Data that is absent or unreadable says nothing.
	switch refused.Code {
	case protocol.CodeAuthRequired:
		var data protocol.AuthRequiredData
		_ = protocol.Unmarshal(refused.Data, &data)
		return &AuthRequiredError{Resources: data.Resources[:min(len(data.Resources), maxResources)], Err: err}
	case protocol.CodePermissionDenied:
		var data protocol.PermissionDeniedData
		_ = protocol.Unmarshal(refused.Data, &data)
		return &PermissionError{Request: data.Request, cause: err}
	}
	return err
}
