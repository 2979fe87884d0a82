package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// URI is an opaque identifier, compared as an exact string.
type URI string

// RootChannel is the channel of connection-level messages and of [RootState].
const RootChannel URI = "ahp-root://"

// StringOrMarkdown is a string, or Markdown where Markdown is true. A plain
// string is never to be read as Markdown.
type StringOrMarkdown struct {
	Text     Text
	Markdown bool
}

// Plain makes a StringOrMarkdown of a plain string.
func Plain(s string) StringOrMarkdown { return StringOrMarkdown{Text: NewText(s)} }

// Markdown makes a StringOrMarkdown of Markdown.
func Markdown(s string) StringOrMarkdown { return StringOrMarkdown{Text: NewText(s), Markdown: true} }

// String is the content in either form.
func (s StringOrMarkdown) String() string { return s.Text.String() }

// IsZero reports whether the value is absent.
func (s StringOrMarkdown) IsZero() bool { return s.Text.IsZero() }

type markdownForm struct {
	Markdown Text `json:"markdown"`
}

// UnmarshalJSONFrom reads either form.
func (s *StringOrMarkdown) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		s.Markdown = false
		return s.Text.UnmarshalJSONFrom(dec)
	}
	var m markdownForm
	if err := json.UnmarshalDecode(dec, &m); err != nil {
		return err
	}
	*s = StringOrMarkdown{Text: m.Markdown, Markdown: true}
	return nil
}

// MarshalJSONTo writes the form the value has.
func (s StringOrMarkdown) MarshalJSONTo(enc *jsontext.Encoder) error {
	if s.Markdown {
		return json.MarshalEncode(enc, markdownForm{s.Text})
	}
	return s.Text.MarshalJSONTo(enc)
}

// Icon is an image that a peer names. It is never fetched.
type Icon struct {
	Src         URI      `json:"src"`
	ContentType string   `json:"contentType,omitzero"`
	Sizes       []string `json:"sizes,omitzero"`
	Theme       string   `json:"theme,omitzero"`
	Extra       Raw      `json:",embed"`
}

// TextPosition is a zero-based place in a text; Character counts UTF-16 units.
type TextPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// TextRange is a span of text, its end excluded.
type TextRange struct {
	Start TextPosition `json:"start"`
	End   TextPosition `json:"end"`
}

// ContentRef names content that is fetched with resourceRead. Nonce changes
// when the content does.
type ContentRef struct {
	URI         URI      `json:"uri"`
	SizeHint    *float64 `json:"sizeHint,omitzero"`
	ContentType string   `json:"contentType,omitzero"`
	Nonce       string   `json:"nonce,omitzero"`
	Extra       Raw      `json:",embed"`
}

// Key tells this content from other content, and from the same before it changed.
func (r *ContentRef) Key() string { return string(r.URI) + "\n" + r.Nonce }

// FileVersion is one side of a [FileEdit].
type FileVersion struct {
	URI     URI        `json:"uri"`
	Content ContentRef `json:"content"`
	Extra   Raw        `json:",embed"`
}

// DiffCount counts the lines of a diff.
type DiffCount struct {
	Added   *float64 `json:"added,omitzero"`
	Removed *float64 `json:"removed,omitzero"`
}

// FileEdit is a change of a file: only After creates, only Before deletes,
// different URIs move.
type FileEdit struct {
	Before *FileVersion `json:"before,omitzero"`
	After  *FileVersion `json:"after,omitzero"`
	Diff   *DiffCount   `json:"diff,omitzero"`
	Extra  Raw          `json:",embed"`
}

// FileEdits is a list of edits under a member of its own.
type FileEdits struct {
	Items []*FileEdit `json:"items"`
}

// UsageInfo counts the tokens of a turn.
type UsageInfo struct {
	InputTokens     *float64 `json:"inputTokens,omitzero"`
	OutputTokens    *float64 `json:"outputTokens,omitzero"`
	CacheReadTokens *float64 `json:"cacheReadTokens,omitzero"`
	Model           string   `json:"model,omitzero"`
	Extra           Raw      `json:",embed" keeps:"_meta"`
}

// ErrorInfo is a failure as a peer tells it.
type ErrorInfo struct {
	ErrorType string `json:"errorType"`
	Message   string `json:"message"`
	Stack     string `json:"stack,omitzero"`
	Extra     Raw    `json:",embed" keeps:"_meta"`
}

// Config is a schema, kept raw, with the current values.
type Config struct {
	Schema Raw            `json:"schema"`
	Values map[string]Raw `json:"values"`
	Extra  Raw            `json:",embed"`
}

// ProtectedResourceMetadata is an OAuth 2.0 protected resource document
// (RFC 9728 section 2) with AHP's member required.
type ProtectedResourceMetadata struct {
	Resource               string   `json:"resource"`
	ResourceName           string   `json:"resource_name,omitzero"`
	AuthorizationServers   []string `json:"authorization_servers,omitzero"`
	JWKSURI                string   `json:"jwks_uri,omitzero"`
	ScopesSupported        []string `json:"scopes_supported,omitzero"`
	BearerMethodsSupported []string `json:"bearer_methods_supported,omitzero"`
	ResourceDocumentation  string   `json:"resource_documentation,omitzero"`
	ResourcePolicyURI      string   `json:"resource_policy_uri,omitzero"`
	ResourceTosURI         string   `json:"resource_tos_uri,omitzero"`
	Required               *bool    `json:"required,omitzero"`
	Extra                  Raw      `json:",embed"`
}

// ModelSelection is a model and its configuration.
type ModelSelection struct {
	ID     string         `json:"id"`
	Config map[string]Raw `json:"config,omitzero"`
	Extra  Raw            `json:",embed"`
}

// AgentSelection points at the URI of an agent customization.
type AgentSelection struct {
	URI   URI `json:"uri"`
	Extra Raw `json:",embed"`
}

// ProjectInfo names the project of a session.
type ProjectInfo struct {
	URI         URI    `json:"uri"`
	DisplayName string `json:"displayName"`
	Extra       Raw    `json:",embed"`
}

// Implementation identifies a client or host program. Informational only.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
	Title   string `json:"title,omitzero"`
}
