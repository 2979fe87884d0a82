package auth

import (
	"context"
	"errors"
	"fmt"

	"ahptui/internal/guard"
)

// Step is a part of a flow.
type Step string

// The steps, in the order in which a flow takes them.
const (
	StepChallenge     Step = "challenge"     // what the host said is looked at
	StepResource      Step = "resource"      // the resource's own metadata is compared with it
	StepDiscovery     Step = "discovery"     // the authorization server's metadata is found
	StepConsent       Step = "consent"       // the person is asked
	StepListener      Step = "listener"      // a port of this machine is opened for the answer
	StepRegistration  Step = "registration"  // this program makes itself known to the authorization server
	StepAuthorization Step = "authorization" // the person signs in, in the browser
	StepDevice        Step = "device"        // a code is fetched, and the person types it in a browser elsewhere
	StepSupply        Step = "supply"        // a token that somebody got elsewhere is fetched
	StepExchange      Step = "exchange"      // the code from the browser is exchanged for a token
)

// Why a flow ended without having failed.
var (
	// ErrCancelled says that the flow was given up: [Flow.Cancel], or the end of its context.
	ErrCancelled = errors.New("the sign-in was given up")
	// ErrDeclined says that the person said no.
	ErrDeclined = errors.New("access was not granted")
	// ErrAbandoned says that nobody answered in the time that there was.
	ErrAbandoned = errors.New("it was abandoned")
)

// Failure says why there is no token.
type Failure struct {
	Step Step
	Err  error // the cause; it holds no secret, but may quote what a peer wrote
	// Remedy is what the person can do, as a sentence; empty when there is nothing.
	Remedy string
	// Retryable reports that the same attempt may succeed later.
	Retryable bool
	// Expected and Received are the two values that should be the same, where that is what went wrong. Either may be a
	// peer's text.
	Expected, Received string
	// Said is what the authorization server itself told the person by way of the browser, at most some hundred bytes.
	// It is a peer's text, to be shown as such.
	Said string
}

// Error implements error.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %v", f.Step, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// fail makes a Failure of err, unless it is one already.
func fail(step Step, err error, remedy string) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	f := &Failure{Step: step, Err: err, Remedy: remedy}
	if passing(err) {
		f.Retryable, f.Remedy = true, "It may pass: try again in a moment."
	}
	if errors.Is(err, guard.ErrUntrusted) {
		f.Remedy = "If its certificate comes from an authority of your organization, add that to this machine's trusted ones."
	}
	if address, ok := errors.AsType[*guard.AddressError](err); ok {
		f.Remedy = "If " + subject(address) + " is to be trusted, ask its operator for a public address."
		if address.Class == guard.Forbidden {
			f.Remedy = "No honest server has such an address: tell the operator of the host."
		}
	}
	return f
}

// passing reports what may be over by itself in a moment.
func passing(err error) bool {
	return errors.Is(err, guard.ErrUnreachable) || errors.Is(err, guard.ErrTimeout) || errors.Is(err, guard.ErrBroken) || errors.Is(err, errServer)
}

// subject is the address, or the name that is one.
func subject(e *guard.AddressError) string {
	if e.Addr.IsValid() {
		return e.Addr.String()
	}
	return e.Host
}

// ended makes a Failure of the end of a context.
func ended(ctx context.Context, step Step) *Failure {
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
		return &Failure{Step: step, Err: errors.New("it took too long"), Remedy: "Try again, with more time.", Retryable: true}
	}
	return &Failure{Step: step, Err: ErrCancelled, Retryable: true}
}
