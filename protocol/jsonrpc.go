package protocol

import "github.com/go-json-experiment/json/jsontext"

// Value is a JSON value that null is one of; nil is absent. It is for the few
// places where null is not as good as absent.
type Value jsontext.Value

// UnmarshalJSONFrom keeps the value as it came.
func (v *Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*v = Value(raw.Clone())
	return err
}

// MarshalJSONTo writes the value.
func (v Value) MarshalJSONTo(enc *jsontext.Encoder) error { return enc.WriteValue(Raw(v)) }

// JSONRPCMessage is a frame: a request, a notification, or a response with
// either a result or an error. ID is a number, or null in the answer to a frame
// that could not be read.
type JSONRPCMessage struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      Value         `json:"id,omitzero"`
	Method  string        `json:"method,omitzero"`
	Params  Raw           `json:"params,omitzero"`
	Result  Value         `json:"result,omitzero"`
	Error   *JSONRPCError `json:"error,omitzero"`
	Extra   Raw           `json:",embed"`
}

// JSONRPCError is why a request failed. Data is typed by the code.
type JSONRPCError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    Raw    `json:"data,omitzero"`
	Extra   Raw    `json:",embed"`
}
