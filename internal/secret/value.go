// Package secret keeps tokens and the like out of what people and programs can read by accident: screens, logs, errors,
// captures and files.
//
// A [Value] cannot be printed, logged or marshalled; its text is had by [Value.Reveal] alone, which is easy to search for.
// A [Redactor] is for text that is already there, such as an error with a URL in it.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what stands where a secret was. It says neither length nor hash: both help to guess a short secret.
const Redacted = "[redacted]"

// Value is a string that must not be shown. The zero Value is the empty string.
//
// It is not comparable by ==, on purpose: use [Value.Equal].
type Value struct {
	// The text is held by a function because fmt prints the fields of a struct that it cannot call methods on (unexported
	// fields of other structs), and of a function it prints nothing but the address.
	reveal func() string
}

// New returns a Value that holds text.
func New(text string) Value {
	if text == "" {
		return Value{}
	}
	return Value{reveal: func() string { return text }}
}

// Reveal returns the text. Call it where the secret is sent or stored, and nowhere else.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

// IsZero reports whether v holds the empty string. The JSON option omitzero asks it too.
func (v Value) IsZero() bool { return v.reveal == nil }

// Equal reports whether v and other hold the same text, in a time that depends on neither content nor common length.
func (v Value) Equal(other Value) bool {
	a, b := sha256.Sum256([]byte(v.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// String implements [fmt.Stringer] with [Redacted].
func (v Value) String() string { return Redacted }

// GoString implements [fmt.GoStringer] with [Redacted].
func (v Value) GoString() string { return Redacted }

// Format implements [fmt.Formatter] with [Redacted] for every verb and flag.
func (v Value) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, Redacted) // a State has nobody to tell about its writer's errors
}

// MarshalText implements [encoding.TextMarshaler] with [Redacted].
func (v Value) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// MarshalJSON writes the JSON string [Redacted].
func (v Value) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }

// LogValue implements [slog.LogValuer] with [Redacted].
func (v Value) LogValue() slog.Value { return slog.StringValue(Redacted) }
