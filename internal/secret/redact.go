package secret

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// minKnownBytes is the length below which a secret is not looked for by its text: replacing every "ab" would only show
// where it stands.
const minKnownBytes = 4

// Redactor replaces secrets in text: those it was told of, and what has the shape of one. It stands before everything that
// shows or keeps text made elsewhere. The zero Redactor knows shapes only. It is safe for concurrent use.
type Redactor struct {
	mu       sync.RWMutex
	known    []string // spellings, longest first, so that a secret that begins with another goes whole
	replacer *strings.Replacer
}

// Add tells r of secrets. They are found as they are, and as they are spelled in URLs and in JSON. Values of fewer than
// four bytes are passed over.
func (r *Redactor) Add(values ...Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range values {
		r.known = append(r.known, spellings(v.Reveal())...)
	}
	slices.SortFunc(r.known, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	r.known = slices.Compact(r.known)
	pairs := make([]string, 0, 2*len(r.known))
	for _, k := range r.known {
		pairs = append(pairs, k, Redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

func spellings(text string) []string {
	if len(text) < minKnownBytes {
		return nil
	}
	all := []string{text, url.QueryEscape(text), url.PathEscape(text)}
	if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	return all
}

// String returns text with every secret that r can see replaced by [Redacted].
func (r *Redactor) String(text string) string {
	text = r.Known(text)
	for _, s := range shapes() {
		text = s.redact(text)
	}
	return text
}

// Known is [Redactor.String] for text that belongs to the person who reads it: only what r was told of is replaced, not what
// merely looks like a secret.
func (r *Redactor) Known(text string) string {
	r.mu.RLock()
	replacer := r.replacer
	r.mu.RUnlock()
	if replacer == nil {
		return text
	}
	return replacer.Replace(text)
}

// Bytes is [Redactor.String] for bytes. It returns a new slice.
func (r *Redactor) Bytes(text []byte) []byte { return []byte(r.String(string(text))) }

// A shape finds secrets by what stands around them or how they begin.
type shape struct {
	pattern *regexp.Regexp
	// The submatch "secret" is what is replaced, the rest of the match stays. plain reports that this match, with rest
	// after it, is ordinary text after all; nil means it never is.
	plain func(name, value, rest string) bool
}

// names are the members and parameters whose values are secret: AHP's own, OAuth's, and the usual rest.
const names = `tkn|token|code|access_token|refresh_token|id_token|subject_token|actor_token|registration_access_token|` +
	`device_code|user_code|code_verifier|client_secret|clientSecret|client_assertion|assertion|connectionToken|` +
	`accessToken|refreshToken|password|passwd|secret|api[_-]?key`

// shapes are made when the first text is looked at: a program that only draws does not wait for them.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		// Basic and Bearer credentials, with and without their header.
		{regexp.MustCompile(`(?i)\b(?P<name>bearer|dpop|basic)[ \t]+(?P<secret>[A-Za-z0-9\-._~+/]+=*)`), plainCredential},
		{regexp.MustCompile(`(?i)\bauthorization["']?[ \t]*[:=][ \t]*["']?(?P<name>bearer|dpop|basic|token)[ \t]+(?P<secret>[^\s"',;\[\]]+)`), nil},
		{regexp.MustCompile(`(?i)\b(?P<name>set-cookie|cookie)["']?[ \t]*:[ \t]*["']?(?P<secret>[^\r\n"']+)`), nil},
		// Parameters of a query, a fragment or a form, also inside of another one's escaped value.
		{regexp.MustCompile(`(?i)\b(?P<name>` + names + `)=(?P<secret>[^&\s"'<>]+)`), plainNumber},
		{regexp.MustCompile(`(?i)(?:\b|%(?:25)?(?:26|3F|23))(?P<name>` + names + `)%(?:25)?3D(?P<secret>[^&\s"'<>]+)`), nil},
		// Members of a JSON object, also of one inside a JSON string.
		{regexp.MustCompile(`(?i)\\*"(?P<name>` + names + `)\\*"\s*:\s*\\*"(?P<secret>(?:[^"\\]|\\[^"])+)`), nil},
		// What says itself what it is: signed web tokens, the tokens of some well-known services, passwords in a URL.
		{regexp.MustCompile(`\b(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3})`), nil},
		{regexp.MustCompile(`\b(?P<secret>(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-)[A-Za-z0-9_-]{16,})`), nil},
		{regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://(?P<secret>[^/\s@"'<>]*:[^/\s@"'<>]*)@`), nil},
	}
})

func (s shape) redact(text string) string {
	matches := s.pattern.FindAllStringSubmatchIndex(text, -1)
	if matches == nil {
		return text
	}
	name, value := s.pattern.SubexpIndex("name"), s.pattern.SubexpIndex("secret")
	var b strings.Builder
	end := 0
	for _, m := range matches {
		if s.plain != nil && s.plain(text[m[2*name]:m[2*name+1]], text[m[2*value]:m[2*value+1]], text[m[1]:]) {
			continue
		}
		b.WriteString(text[end:m[2*value]])
		b.WriteString(Redacted)
		end = m[2*value+1]
	}
	b.WriteString(text[end:])
	return b.String()
}

// prose are words that follow "bearer" in sentences and are nobody's token.
var prose = []string{
	"and", "auth", "authentication", "authorization", "challenge", "credential", "credentials", "error", "header", "in",
	"is", "method", "or", "realm", "required", "scheme", "token", "tokens", "was",
}

// plainCredential reports whether what follows the name of a scheme is a word of a sentence or a parameter of a challenge
// (Bearer realm="x"). "Basic" begins many sentences, and its credentials can be told: they are base64 with a colon in it
// (RFC 7617, section 2).
func plainCredential(scheme, value, rest string) bool {
	if strings.EqualFold(scheme, "basic") {
		decoded, err := base64.StdEncoding.DecodeString(value)
		return err != nil || !strings.Contains(string(decoded), ":")
	}
	word := strings.ToLower(strings.TrimRight(value, ".="))
	if _, found := slices.BinarySearch(prose, word); found {
		return true
	}
	isName := strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") == "="
	return isName && rest != "" && !strings.ContainsRune(" \t\r\n,;", rune(rest[0]))
}

// plainNumber reports whether a code is an error's or a process' and no authorization code.
func plainNumber(name, value, _ string) bool {
	digits := strings.TrimRight(strings.TrimPrefix(value, "-"), ".:;,)]")
	return strings.EqualFold(name, "code") && len(digits) <= 6 && strings.Trim(digits, "0123456789") == ""
}
