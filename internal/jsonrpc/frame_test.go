package jsonrpc

import (
	stdjson "encoding/json" // an independent reader to compare with
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func decodeText(text string) (message, error) {
	var d decoder
	return d.decode([]byte(text))
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want message
	}{
		"request":             {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}`, message{kind: kindRequest, id: raw("1"), method: "m", params: raw(`{"a":[1]}`)}},
		"string id":           {`{"id":"x\u0031","method":"m"}`, message{kind: kindRequest, id: raw(`"x\u0031"`), method: "m"}},
		"fraction id":         {`{"id":1.50,"method":"m"}`, message{kind: kindRequest, id: raw("1.50"), method: "m"}},
		"null id":             {`{"id":null,"method":"m"}`, message{kind: kindRequest, id: raw("null"), method: "m"}},
		"notification":        {` { "method" : "m" , "params" : [ ] } `, message{kind: kindNotification, method: "m", params: raw("[ ]")}},
		"result":              {`{"id":7,"result":{}}`, message{kind: kindResponse, id: raw("7"), result: raw("{}")}},
		"null result":         {`{"id":7,"result":null}`, message{kind: kindResponse, id: raw("7"), result: raw("null")}},
		"null error":          {`{"id":7,"error":null,"result":1}`, message{kind: kindResponse, id: raw("7"), result: raw("1")}},
		"error":               {`{"id":7,"error":{"code":1}}`, message{kind: kindResponse, id: raw("7"), err: raw(`{"code":1}`)}},
		"error, null id":      {`{"id":null,"error":{}}`, message{kind: kindResponse, id: raw("null"), err: raw("{}")}},
		"error, no id":        {`{"error":{}}`, message{kind: kindResponse, err: raw("{}")}},
		"duplicate members":   {`{"id":1,"method":"a","method":"b","id":2}`, message{kind: kindRequest, id: raw("2"), method: "b"}},
		"escaped names":       {`{"\u006dethod":"\u0061/b","p\u0061rams":{}}`, message{kind: kindNotification, method: "a/b", params: raw("{}")}},
		"unknown members":     {`{"x":{"method":"no"},"method":"m"}`, message{kind: kindNotification, method: "m"}},
		"lone surrogate":      {`{"method":"m","params":{"t":"\ud83d"}}`, message{kind: kindNotification, method: "m", params: raw(`{"t":"\ud83d"}`)}},
		"invalid UTF-8":       {"{\"method\":\"m\",\"params\":{\"t\":\"\xff\xfe\"}}", message{kind: kindNotification, method: "m", params: raw("{\"t\":\"\xff\xfe\"}")}},
		"duplicate in params": {`{"method":"m","params":{"a":1,"a":2}}`, message{kind: kindNotification, method: "m", params: raw(`{"a":1,"a":2}`)}},
		"number":              {"42", message{}},
		"empty batch":         {"[]", message{}},
		"batch":               {`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, message{}},
		"bare":                {`{"jsonrpc":"2.0"}`, message{}},
		"only an id":          {`{"id":1}`, message{id: raw("1")}},
		"object id":           {`{"id":{},"method":"m"}`, message{id: raw("{}"), method: "m"}},
		"boolean id":          {`{"id":true,"method":"m"}`, message{id: raw("true"), method: "m"}},
		"method no string":    {`{"id":1,"method":5}`, message{id: raw("1")}},
		"method empty":        {`{"id":1,"method":""}`, message{id: raw("1")}},
		"method too long":     {`{"id":1,"method":"` + strings.Repeat("m", maxNameBytes) + `"}`, message{id: raw("1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeText(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(message{})); diff != "" {
				t.Errorf("decode (-want +got):\n%s", diff)
			}
			for _, value := range []jsontext.Value{got.id, got.params, got.result, got.err} {
				if len(value) != cap(value) {
					t.Errorf("who appends to %s changes its message", value)
				}
			}
		})
	}
}

func TestDecodeMalformed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "{not json", "{", `{"method"`, `{"method":"m"`, `{"method":"m",}`, `{"method":"m"} x`, `{"method":"m"}{}`, "[1,]", "nul",
		`{"params":[}`, `{"params":{"a":}}`, `{"method":"a` + "\n" + `b"}`, `{"method":"\x"}`, `{1:2}`, "\xef\xbb\xbf{}", `{"a":01}`,
	} {
		if _, err := decodeText(text); !errors.Is(err, ErrMalformed) {
			t.Errorf("decode(%q): err = %v, want ErrMalformed", text, err)
		} else if strings.Contains(err.Error(), "json") && strings.Contains(text, "json") {
			t.Errorf("the error quotes the text: %v", err)
		}
	}
}

func TestDecodeAfterMalformed(t *testing.T) {
	t.Parallel()
	var d decoder
	for range 3 {
		if _, err := d.decode([]byte(`{"a":[`)); err == nil {
			t.Fatal("no error")
		}
		if m, err := d.decode([]byte(`{"method":"m"}`)); err != nil || m.method != "m" {
			t.Fatalf("decode = %+v, %v", m, err)
		}
	}
}

// FuzzDecode compares with an independent reader: what is JSON there is JSON here and the other way round, but for what is
// nested beyond the JSON library's own bound.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}`, `{"id":null,"error":{"code":-32700}}`, `[{"a":"\ud83d"}]`,
		`{"method":"\u0061","method":"b"}`, `{"result":1e9,"id":"x"} `, "{\"a\":\"\xff\"}", `{not json`, strings.Repeat(`[{"":`, 300),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var d decoder
		before := string(text)
		m, err := d.decode(text)
		if string(text) != before {
			t.Fatal("the text was changed")
		}
		valid := stdjson.Valid(text)
		if err == nil && !valid {
			t.Fatalf("decoded what is no JSON: %q", text)
		}
		if err != nil && valid && (Limits{Depth: 9_000}.withDefaults().check(text) == nil) {
			t.Fatalf("%q is JSON, got %v", text, err)
		}
		for _, value := range [][]byte{m.id, m.params, m.result, m.err} {
			if value != nil && !stdjson.Valid(value) {
				t.Fatalf("%q of %q is no JSON", value, text)
			}
		}
		if m.err != nil {
			_ = decodeError(m.err).Error()
		}
	})
}
