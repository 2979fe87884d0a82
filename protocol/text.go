package protocol

import (
	"bytes"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is text that grows at its end, such as the content of a streamed
// response part. Append costs amortised constant time per byte, and older
// values of the same text keep seeing their own, shorter content.
//
// Values that grew from one another share a buffer. The free tail of the buffer
// is claimed by a compare-and-swap on its end, so that two branches (the
// confirmed and the optimistic state, say) never write the same bytes: whoever
// loses copies. Reading never races with appending.
//
// The bytes are UTF-8, except that an unpaired UTF-16 surrogate, which a
// JavaScript host produces when it cuts a delta inside a surrogate pair, is kept
// in its generalised three-byte form (WTF-8). When the other half is appended the
// two become the character they were.
//
// The zero Text is absent; a Text made from "" is present and empty. Absent
// texts are omitted when encoded.
type Text struct {
	buf *textBuffer
	n   int
	// high is a trailing high surrogate that waits for its other half. It is
	// kept out of the buffer because bytes that someone may see never change.
	high uint16
}

type textBuffer struct {
	end  atomic.Int64 // bytes of data that some Text already owns
	data []byte       // len is the capacity; only [0,end) is ever read
}

// NewText returns a present text with the given content.
func NewText(s string) Text { return newText(splitTrailingHigh([]byte(s))) }

func newText(own []byte, high uint16) Text {
	buf := &textBuffer{data: own}
	buf.end.Store(int64(len(own)))
	return Text{buf: buf, n: len(own), high: high}
}

// IsZero reports whether the text is absent.
func (t Text) IsZero() bool { return t.buf == nil }

// Len is the length in bytes.
func (t Text) Len() int {
	if t.high != 0 {
		return t.n + surrogateLen
	}
	return t.n
}

// String returns the content. It copies nothing unless the text ends in half
// of a surrogate pair.
func (t Text) String() string {
	if t.buf == nil || t.n == 0 && t.high == 0 {
		return ""
	}
	if t.high != 0 {
		return string(appendSurrogate(bytes.Clone(t.bytes()), t.high))
	}
	// The bytes below n are written once, before any Text that covers them
	// exists, so the string stays immutable although the buffer goes on.
	return unsafe.String(unsafe.SliceData(t.buf.data), t.n)
}

func (t Text) bytes() []byte {
	if t.buf == nil {
		return nil
	}
	return t.buf.data[:t.n:t.n]
}

// Extends reports whether t is prev with something (or nothing) appended,
// recognised by the shared buffer. A false answer may be wrong, a true one never.
func (t Text) Extends(prev Text) bool {
	return t.buf != nil && t.buf == prev.buf && t.n >= prev.n && (prev.high == 0 || t == prev)
}

// Append returns the text followed by more. The receiver keeps its content.
func (t Text) Append(more Text) Text {
	head, tail := more.bytes(), more.high
	if len(head) == 0 && tail == 0 {
		if t.IsZero() {
			return more
		}
		return t
	}
	var lead [utf8.UTFMax]byte
	joint := lead[:0]
	if t.high != 0 {
		if low, ok := leadingLow(head); ok {
			joint = utf8.AppendRune(joint, utf16.DecodeRune(rune(t.high), rune(low)))
			head = head[surrogateLen:]
		} else {
			joint = appendSurrogate(joint, t.high)
		}
	}
	grown := t
	if len(joint)+len(head) > 0 || t.IsZero() {
		grown = t.grow(joint, head)
	}
	grown.high = tail
	return grown
}

// grow returns t's stored bytes followed by a and b.
func (t Text) grow(a, b []byte) Text {
	need := t.n + len(a) + len(b)
	if t.buf != nil && need <= len(t.buf.data) && t.buf.end.CompareAndSwap(int64(t.n), int64(need)) {
		copy(t.buf.data[t.n:], a)
		copy(t.buf.data[t.n+len(a):], b)
		return Text{buf: t.buf, n: need}
	}
	data := make([]byte, max(2*need, 64))
	n := copy(data, t.bytes())
	n += copy(data[n:], a)
	copy(data[n:], b)
	buf := &textBuffer{data: data}
	buf.end.Store(int64(need))
	return Text{buf: buf, n: need}
}

// AppendString is Append with a plain string.
func (t Text) AppendString(s string) Text {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	body, high := splitTrailingHigh(b)
	return t.Append(Text{buf: &textBuffer{data: body}, n: len(body), high: high})
}

// UnmarshalJSONFrom reads a JSON string; null leaves the text absent.
func (t *Text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == 'n' {
		*t = Text{}
		return nil
	}
	if raw.Kind() != '"' {
		return errNotString
	}
	*t = newText(splitTrailingHigh(unquote(raw)))
	return nil
}

// MarshalJSONTo writes the text as a JSON string.
func (t Text) MarshalJSONTo(enc *jsontext.Encoder) error {
	if t.high == 0 && utf8.Valid(t.bytes()) {
		return enc.WriteToken(jsontext.String(t.String()))
	}
	return enc.WriteValue(quote([]byte(t.String())))
}
