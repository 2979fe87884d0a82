package jsonrpc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		message, want string
	}{
		{"Method not found: x", "Method not found: x (-7)"},
		{"TypeError: a\n    at b (/home/x.js:1:2)\n", "TypeError: a (-7)"},
		{"a\r\nb", "a (-7)"},
		{"", "error -7"},
		{"\n", "error -7"},
		{"\x1b[31mred\x07 \u202eevil\u200b", "�[31mred� �evil� (-7)"},
		{"Zoë 😀", "Zoë 😀 (-7)"},
		{strings.Repeat("ä", 300), strings.Repeat("ä", 300) + " (-7)"},
		{strings.Repeat("ä", 301), strings.Repeat("ä", 300) + "… (-7)"},
		{"bad \xff byte", "bad � byte (-7)"},
	} {
		if got := (&Error{Code: -7, Message: tt.message}).Error(); got != tt.want {
			t.Errorf("Error of %q = %q, want %q", tt.message, got, tt.want)
		}
	}
}

func TestDecodeError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want *Error
	}{
		{`{"code":-32601,"message":"no","data":{"a":1}}`, &Error{Code: -32601, Message: "no", Data: raw(`{"a":1}`)}},
		{`{"code":1,"message":"\ud83d!"}`, &Error{Code: 1, Message: "�!"}},
		{`{"code":1,"code":2,"message":"m"}`, &Error{Code: 2, Message: "m"}},
		{`{"message":"no code"}`, &Error{Code: CodeInternalError, Message: "no code"}},
		{`{"code":"E1","message":5}`, &Error{Code: CodeInternalError}},
		{`{"code":1e300}`, &Error{Code: CodeInternalError}},
		{`{"code":9999999999}`, &Error{Code: CodeInternalError}},
		{`"just words"`, &Error{Code: CodeInternalError, Message: "the error is not an object", Data: raw(`"just words"`)}},
		{`[1]`, &Error{Code: CodeInternalError, Message: "the error is not an object", Data: raw(`[1]`)}},
	} {
		if diff := cmp.Diff(tt.want, decodeError(raw(tt.text))); diff != "" {
			t.Errorf("decodeError(%s) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	type params struct {
		Channel string `json:"channel"`
		Raw     any    `json:"raw,omitempty"`
	}
	encoded := func(b []byte, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		return string(b)
	}
	for _, tt := range []struct{ got, want string }{
		{encoded(encodeCall(3, "a/b", params{Channel: "x"})), `{"jsonrpc":"2.0","id":3,"method":"a/b","params":{"channel":"x"}}`},
		{encoded(encodeCall(3, "ping", nil)), `{"jsonrpc":"2.0","id":3,"method":"ping"}`},
		{encoded(encodeCall(3, "ping", raw(""))), "error: the raw value is not JSON"},
		{encoded(encodeCall(3, "ping", raw("{}{}"))), "error: the raw value is not JSON"},
		{encoded(encodeNotification("n", raw(`{ "t":"\ud83d", "t":1.0 }`))), `{"jsonrpc":"2.0","method":"n","params":{ "t":"\ud83d", "t":1.0 }}`},
		{encoded(encodeNotification("n", params{Raw: raw(`"\ud83d\u0041"`)})), `{"jsonrpc":"2.0","method":"n","params":{"channel":"","raw":"\ud83d\u0041"}}`},
		{encoded(encodeNotification("n", map[string]int{"b": 1, "a": 2})), `{"jsonrpc":"2.0","method":"n","params":{"a":2,"b":1}}`},
		{encoded(encodeResult(raw(`"x"`), nil)), `{"jsonrpc":"2.0","id":"x","result":null}`},
		{encoded(encodeResult(raw("1.50"), struct{}{})), `{"jsonrpc":"2.0","id":1.50,"result":{}}`},
		{encoded(encodeError(raw("null"), &Error{Code: -1, Message: "m"})), `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}`},
		{encoded(encodeError(raw("1"), &Error{Code: -1, Message: "\xff", Data: raw("[]")})), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"�","data":[]}}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}
