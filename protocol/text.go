package protocol

import (
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
// The first Append copies the text into a buffer with room, and values that grew
// from one another share it. The free tail of the buffer is claimed by a
// compare-and-swap on its end, so that two branches (the confirmed and the
// optimistic state, say) never write the same bytes: whoever loses copies.
// Reading never races with appending.
//
// The bytes are UTF-8, except that an unpaired UTF-16 surrogate, which a
// JavaScript host produces when it cuts a delta inside a surrogate pair, is kept
// in its generalised three-byte form (WTF-8). When the other half is appended the
// two become the character they were.
//
// The zero Text is absent; a Text made from "" is present and empty. Absent
// texts are omitted when encoded.
type Text struct {
	s string // the content, less high
	// buf is where s can grow: s is its beginning. A text that was never
	// appended to has none.
	buf *textBuffer
	// high is a trailing high surrogate that waits for its other half. It is
	// kept out of s because bytes that someone may see never change.
	high    uint16
	present bool
}

type textBuffer struct {
	end  atomic.Int64 // bytes of data that some Text already owns
	data []byte       // len is the capacity; only [0,end) is ever read
}

// NewText returns a present text with the given content.
func NewText(s string) Text {
	body, high := splitTrailingHigh(s)
	return Text{s: body, high: high, present: true}
}

// IsZero reports whether the text is absent.
func (t Text) IsZero() bool { return !t.present }

// Len is the length in bytes.
func (t Text) Len() int {
	if t.high != 0 {
		return len(t.s) + surrogateLen
	}
	return len(t.s)
}

// String returns the content. It copies nothing unless the text ends in half
// of a surrogate pair.
func (t Text) String() string {
	if t.high != 0 {
		return string(appendSurrogate([]byte(t.s), t.high))
	}
	return t.s
}

// Extends reports whether t is prev with something (or nothing) appended,
// recognised by the memory they share. A false answer may be wrong, a true one
// never.
func (t Text) Extends(prev Text) bool {
	return len(prev.s) > 0 && len(t.s) >= len(prev.s) && unsafe.StringData(t.s) == unsafe.StringData(prev.s) &&
		(prev.high == 0 || t == prev)
}

// Append returns the text followed by more. The receiver keeps its content.
func (t Text) Append(more Text) Text {
	head, tail := more.s, more.high
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

// grow returns t's content followed by a and b.
func (t Text) grow(a []byte, b string) Text {
	n, need := len(t.s), len(t.s)+len(a)+len(b)
	buf := t.buf
	if buf == nil || need > len(buf.data) || !buf.end.CompareAndSwap(int64(n), int64(need)) {
		buf = &textBuffer{data: make([]byte, max(2*need, 64))}
		copy(buf.data, t.s)
		buf.end.Store(int64(need))
	}
	copy(buf.data[n:], a)
	copy(buf.data[n+len(a):], b)
	// The bytes below end are written once, before any Text that covers them
	// exists, so the string stays immutable although the buffer goes on.
	return Text{s: unsafe.String(unsafe.SliceData(buf.data), need), buf: buf, present: true}
}

// AppendString is Append with a plain string.
func (t Text) AppendString(s string) Text { return t.Append(NewText(s)) }

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
	*t = NewText(string(appendUnquoted(make([]byte, 0, len(raw)), raw)))
	return nil
}

// MarshalJSONTo writes the text as a JSON string.
func (t Text) MarshalJSONTo(enc *jsontext.Encoder) error {
	if t.high == 0 && utf8.ValidString(t.s) {
		return enc.WriteToken(jsontext.String(t.s))
	}
	return enc.WriteValue(quote([]byte(t.String())))
}
