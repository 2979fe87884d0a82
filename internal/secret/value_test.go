package secret_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/secret"
)

const canary = "canary-5f1c"

// holder has secrets where printers and encoders look for them.
type holder struct {
	Shown   secret.Value
	Pointer *secret.Value
	Map     map[string]secret.Value
	hidden  secret.Value
	nested  struct{ deep []secret.Value }
}

func newHolder() holder {
	v := secret.New(canary)
	h := holder{Shown: v, Pointer: &v, Map: map[string]secret.Value{"k": v}, hidden: v}
	h.nested.deep = []secret.Value{v}
	return h
}

func TestValueIsNeverPrinted(t *testing.T) {
	t.Parallel()
	h := newHolder()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T", "%t", "%10.3s", "%U", "%08b"} {
		for _, arg := range []any{h.Shown, h.Pointer, h, &h, h.hidden, h.nested, []any{h.Shown}, errors.Join(fmt.Errorf(verb, h.Shown))} {
			if got := fmt.Sprintf(verb, arg); strings.Contains(got, canary) || strings.Contains(got, fmt.Sprintf("%x", canary)) {
				t.Errorf("Sprintf(%q, %T) shows the secret: %s", verb, arg, got)
			}
		}
		if verb != "%T" && verb != "%p" { // these two never ask a Formatter
			if got := fmt.Sprintf(verb, h.Shown); got != secret.Redacted {
				t.Errorf("Sprintf(%q) = %q, want %q", verb, got, secret.Redacted)
			}
		}
	}
	if got := fmt.Sprint(h.Shown, h.Shown.String(), h.Shown.GoString()); strings.Contains(got, canary) {
		t.Errorf("Sprint shows the secret: %s", got)
	}
}

func TestValueIsNeverMarshalled(t *testing.T) {
	t.Parallel()
	h := newHolder()
	for name, marshal := range map[string]func(any) ([]byte, error){
		"json": func(v any) ([]byte, error) { return json.Marshal(v) }, "encoding/json": stdjson.Marshal,
	} {
		for _, v := range []any{h, h.Shown, h.Pointer} {
			got, err := marshal(v)
			if err != nil {
				t.Fatalf("%s of %T: %v", name, v, err)
			}
			if bytes.Contains(got, []byte(canary)) || !bytes.Contains(got, []byte(secret.Redacted)) {
				t.Errorf("%s of %T = %s", name, v, got)
			}
		}
	}
	if got, err := h.Shown.MarshalText(); err != nil || string(got) != secret.Redacted {
		t.Errorf("MarshalText = %q, %v", got, err)
	}
}

func TestValueIsNeverLogged(t *testing.T) {
	t.Parallel()
	h := newHolder()
	var out bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("dial", "token", h.Shown, "holder", h, slog.Group("g", "p", h.Pointer))
	}
	if strings.Contains(out.String(), canary) {
		t.Errorf("the log shows the secret:\n%s", &out)
	}
	if n := strings.Count(out.String(), secret.Redacted); n < 4 {
		t.Errorf("the log has %d redacted values, want at least 4:\n%s", n, &out)
	}
}

func TestValueDiffIsSilent(t *testing.T) {
	t.Parallel()
	diff := cmp.Diff(secret.New(canary), secret.New("other"))
	if diff == "" || strings.Contains(diff, canary) {
		t.Errorf("cmp.Diff = %q, want a difference without the secret", diff)
	}
}

func TestValueReveals(t *testing.T) {
	t.Parallel()
	var zero secret.Value
	for _, tt := range []struct {
		v    secret.Value
		text string
	}{{zero, ""}, {secret.New(""), ""}, {secret.New(canary), canary}} {
		if got := tt.v.Reveal(); got != tt.text {
			t.Errorf("Reveal = %q, want %q", got, tt.text)
		}
		if got := tt.v.IsZero(); got != (tt.text == "") {
			t.Errorf("IsZero of %q = %v", tt.text, got)
		}
	}
	type omitting struct {
		Token secret.Value `json:"token,omitzero"`
	}
	if got, err := json.Marshal(omitting{}); err != nil || string(got) != "{}" {
		t.Errorf("marshal with omitzero = %s, %v", got, err)
	}
}

func TestValueEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"a", "a", true}, {"a", "b", false}, {"a", "", false}, {"a", "aa", false}} {
		if got := secret.New(tt.a).Equal(secret.New(tt.b)); got != tt.want {
			t.Errorf("Equal(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
