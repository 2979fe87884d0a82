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

// UnsupportedVersionData goes with CodeUnsupportedProtocolVersion: versions, or
// ranges such as "^0.9.0".
type UnsupportedVersionData struct {
	SupportedVersions []string `json:"supportedVersions"`
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
	return json.MarshalEncode(enc, map[string]any{"resources": d.Resources})
}

// ResourceOrString is a resource that was named by a string up to 0.7 and is
// described by its metadata from 0.8 on.
type ResourceOrString struct{ ProtectedResourceMetadata }

// UnmarshalJSONFrom reads either form.
func (r *ResourceOrString) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &r.Resource)
	}
	return json.UnmarshalDecode(dec, &r.ProtectedResourceMetadata)
}

// MarshalJSONTo writes the metadata.
func (r ResourceOrString) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, r.ProtectedResourceMetadata)
}
