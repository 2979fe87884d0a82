package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AHP's error codes, beside those of JSON-RPC.
const (
	CodeSessionNotFound            = -32001 // VS Code's host: any unknown resource
	CodeProviderNotFound           = -32002
	CodeSessionAlreadyExists       = -32003
	CodeTurnInProgress             = -32004
	CodeUnsupportedProtocolVersion = -32005
	CodeContentNotFound            = -32006 // up to 0.8
	CodeAuthRequired               = -32007
	CodeNotFound                   = -32008
	CodePermissionDenied           = -32009
	CodeAlreadyExists              = -32010
	CodeConflict                   = -32011
)

// CodeName names an error code of AHP or of JSON-RPC; "" where it has no name.
func CodeName(code int) string {
	switch code {
	case -32700:
		return "ParseError"
	case -32600:
		return "InvalidRequest"
	case -32601:
		return "MethodNotFound"
	case -32602:
		return "InvalidParams"
	case -32603:
		return "InternalError"
	case CodeSessionNotFound:
		return "SessionNotFound"
	case CodeProviderNotFound:
		return "ProviderNotFound"
	case CodeSessionAlreadyExists:
		return "SessionAlreadyExists"
	case CodeTurnInProgress:
		return "TurnInProgress"
	case CodeUnsupportedProtocolVersion:
		return "UnsupportedProtocolVersion"
	case CodeContentNotFound:
		return "ContentNotFound"
	case CodeAuthRequired:
		return "AuthRequired"
	case CodeNotFound:
		return "NotFound"
	case CodePermissionDenied:
		return "PermissionDenied"
	case CodeAlreadyExists:
		return "AlreadyExists"
	case CodeConflict:
		return "Conflict"
	}
	return ""
}

// UnsupportedVersionData goes with CodeUnsupportedProtocolVersion: versions, or
// ranges such as "^0.9.0".
type UnsupportedVersionData struct {
	SupportedVersions []string `json:"supportedVersions"`
	Meta              Raw      `json:"_meta,omitzero"`
	Extra             Raw      `json:",embed"`
}

// AuthRequiredData goes with CodeAuthRequired. Hosts send it as an object with
// resources, as a bare array, or not at all.
type AuthRequiredData struct {
	Resources []*ProtectedResourceMetadata
}

// UnmarshalJSONFrom reads either form.
func (d *AuthRequiredData) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '[' {
		return json.UnmarshalDecode(dec, &d.Resources)
	}
	var object struct {
		Resources []*ProtectedResourceMetadata `json:"resources"`
	}
	if err := json.UnmarshalDecode(dec, &object); err != nil {
		return err
	}
	d.Resources = object.Resources
	return nil
}

// MarshalJSONTo writes the documented form.
func (d AuthRequiredData) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, map[string]any{"resources": present(d.Resources)})
}

// PermissionDeniedData goes with CodePermissionDenied: what to ask for with
// resourceRequest to be let in, where that is possible.
type PermissionDeniedData struct {
	Request *ResourceRequestParams `json:"request,omitzero"`
	Extra   Raw                    `json:",embed"`
}

// ResourceOrString is a resource that was named by a string up to 0.7 and is
// described by its metadata from 0.8 on. Named is the earlier form.
type ResourceOrString struct {
	ProtectedResourceMetadata
	Named bool
}

// UnmarshalJSONFrom reads either form.
func (r *ResourceOrString) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if r.Named = dec.PeekKind() == '"'; r.Named {
		return json.UnmarshalDecode(dec, &r.Resource)
	}
	return json.UnmarshalDecode(dec, &r.ProtectedResourceMetadata)
}

// MarshalJSONTo writes the form the value has.
func (r ResourceOrString) MarshalJSONTo(enc *jsontext.Encoder) error {
	if r.Named {
		return json.MarshalEncode(enc, r.Resource)
	}
	return json.MarshalEncode(enc, r.ProtectedResourceMetadata)
}

// ErrorData reads the data of an error by its code: *[UnsupportedVersionData],
// *[AuthRequiredData] or *[PermissionDeniedData]. It is nil for other codes, and
// where the data is missing, as it may be, or cannot be read.
func ErrorData(code int, data Raw) any {
	var typed any
	switch code {
	case CodeUnsupportedProtocolVersion:
		typed = new(UnsupportedVersionData)
	case CodeAuthRequired:
		typed = new(AuthRequiredData)
	case CodePermissionDenied:
		typed = new(PermissionDeniedData)
	}
	if typed == nil || len(data) == 0 || data.Kind() == 'n' || Unmarshal(data, typed) != nil {
		return nil
	}
	return typed
}
