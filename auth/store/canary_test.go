package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ahptui/internal/secret"
)

// canaries are secrets that must be seen nowhere.
var canaries = [...]string{"canary-access-7d1f", "canary-refresh-7d1f", "canary-client-7d1f"}

func canaryToken(key Key) Token {
	t := anyToken(key, canaries[0], canaries[1])
	t.ClientSecret, t.ClientMethod = secret.New(canaries[2]), "client_secret_basic"
	return t
}

// seen reports a canary in data, as it is or in a usual disguise.
func seen(data []byte) string {
	for _, c := range canaries {
		disguises := []string{
			c, hex.EncodeToString([]byte(c)),
			// Whatever stands before it, one of the three alignments shows.
			base64.StdEncoding.EncodeToString([]byte(c))[:16],
			base64.StdEncoding.EncodeToString([]byte(c)[1:])[:16],
			base64.StdEncoding.EncodeToString([]byte(c)[2:])[:16],
		}
		for _, d := range disguises {
			if bytes.Contains(data, []byte(d)) {
				return d
			}
		}
	}
	return ""
}

func TestCanariesAreSeenWhenTheyAreThere(t *testing.T) {
	t.Parallel()
	for _, pad := range []string{"", "x", "xy"} {
		text := base64.StdEncoding.EncodeToString([]byte(pad + canaries[1]))
		if seen([]byte(text)) == "" {
			t.Errorf("%q in base64 is not seen", pad)
		}
	}
}

// No token is in any file but the plain one that a person chose, whatever is done.
func TestNoSecretInFiles(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := openIn(t, InKeyring, dir, newRing())
	ctx := t.Context()
	token := put(t, s, canaryToken(anyKey("a")))
	look := func(when string) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if c := seen(data); c != "" {
				t.Errorf("%s: %s holds %s", when, path, c)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look("after putting")
	s.step = func(string) {}
	s.shelf.tokens.(*fileDocument[content]).step = look
	token, err := s.Refresh(ctx, token.Ref, func(_ context.Context, old Token) (Token, error) { return canaryToken(old.Key), nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Register(ctx, Registration{Issuer: "i", Client: "c", Secret: secret.New(canaries[2])}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refuse(ctx, token.Ref); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Memory().Agree(ctx, token.Key.Subject(), Consent{Issuer: "i"}), s.Memory().Never(ctx, token.Key.Subject())); err != nil {
		t.Fatal(err)
	}
	look("after all that")
	if _, err := s.SignOut(ctx, Which{}); err != nil {
		t.Fatal(err)
	}
	look("after signing out")
	if plainFiles {
		plain := openIn(t, InFile, newDir(t), nil)
		put(t, plain, canaryToken(anyKey()))
		path := plain.Status().Path
		if data, err := os.ReadFile(path); err != nil || seen(data) == "" {
			t.Errorf("the plain file does not hold the token, so that this test shows nothing (%v)", err)
		}
		if _, err := plain.SignOut(ctx, Which{}); err != nil {
			t.Fatal(err)
		}
		dir = filepath.Dir(path)
		look("after signing out of a plain file")
	}
}

// Nothing that the package hands out shows a secret by accident.
func TestNoSecretIsPrinted(t *testing.T) {
	t.Parallel()
	s := openIn(t, InKeyring, newDir(t), newRing())
	token := put(t, s, canaryToken(anyKey("a")))
	registration := Registration{Issuer: "i", Client: "c", Secret: secret.New(canaries[2])}
	if err := s.Register(t.Context(), registration); err != nil {
		t.Fatal(err)
	}
	c, err := s.content(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	for _, v := range []any{token, &token, []Token{token}, map[string]Token{"a": token}, registration, c, &c, SignedOut{Tokens: []Token{token}}, s.Status(), s, s.keys, s.keys.held} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if text := fmt.Sprintf(verb, v); seen([]byte(text)) != "" {
				t.Errorf("%s of %T shows a secret", verb, v)
			}
		}
		for name, marshal := range map[string]func(any) ([]byte, error){
			"json": func(v any) ([]byte, error) { return json.Marshal(v) }, "encoding/json": stdjson.Marshal,
		} {
			if data, err := marshal(v); seen(data) != "" || err != nil && seen([]byte(err.Error())) != "" {
				t.Errorf("%s of %T shows a secret", name, v)
			}
		}
		logger.Info("it is", "it", v)
	}
	if c := seen(log.Bytes()); c != "" {
		t.Errorf("a log shows %s", c)
	}
}

// Nor does any error.
func TestNoSecretInErrors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var failures []error
	note := func(err error) {
		if err == nil {
			t.Error("there is no error to look at")
		}
		failures = append(failures, err)
	}
	s := Open(ctx, Options{})
	for _, change := range []func(*Token){
		func(t *Token) { t.Access = secret.New(canaries[0] + strings.Repeat("x", maxSecretBytes)) },
		func(t *Token) { t.Access = secret.New(canaries[0] + "\xff") },
		func(t *Token) { t.Key.Host = "" },
	} {
		token := canaryToken(anyKey())
		change(&token)
		_, err := s.Put(ctx, token)
		note(err)
	}
	token := put(t, s, canaryToken(anyKey()))
	_, err := s.Refresh(ctx, token.Ref, func(_ context.Context, old Token) (Token, error) {
		fresh := canaryToken(old.Key)
		fresh.Refresh = secret.New(canaries[1] + "\xff")
		return fresh, nil
	})
	note(err)
	_, err = s.Refresh(ctx, token.Ref, never(t))
	note(err)
	note(s.Register(ctx, Registration{Issuer: "i", Client: "c", Secret: secret.New(canaries[2] + "\xff")}))
	note(s.Register(ctx, Registration{Client: "c", Secret: secret.New(canaries[2])}))
	_, err = newSealer(secret.New(canaries[0]))
	note(err)
	for _, text := range []string{
		`{"format":"ahptui tokens","version":1,"content":{"tokens":[{"access":["` + canaries[0] + `"]}]}}`,
		`{"format":"ahptui tokens","version":1,"content":{"tokens":[{"access":"` + canaries[0] + `","access":"x"}]}}`,
		`{"format":"ahptui tokens","version":1,"content":{"tokens":[{"access":"` + canaries[0] + `","expires":"` + canaries[1] + `"}]}}`,
		`{"format":"ahptui tokens","version":1,"content":{"tokens":"` + canaries[0],
		`{"format":"` + canaries[0] + `","version":1}`,
	} {
		path := filepath.Join(t.TempDir(), plainName)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file := &fileDocument[content]{path: path, format: tokenFormat(), wait: fileWait, step: func(string) {}, setAside: func(string) {}}
		_, err := file.load(ctx)
		note(err)
	}
	for _, err := range failures {
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if c := seen([]byte(fmt.Sprintf(verb, err))); c != "" {
				t.Errorf("an error shows %s", c)
			}
		}
	}
}
