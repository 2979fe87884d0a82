package jsonrpc

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// exact writes values as they are: raw values keep their spelling, whatever a peer put into it, and maps have one order.
var exact = json.JoinOptions(tolerant, json.Deterministic(true), jsontext.PreserveRawStrings(true))

func encodeCall(id int64, method string, params any) ([]byte, error) {
	b := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	return appendMethod(b, method, params)
}

func encodeNotification(method string, params any) ([]byte, error) {
	return appendMethod([]byte(`{"jsonrpc":"2.0"`), method, params)
}

func appendMethod(b []byte, method string, params any) ([]byte, error) {
	b, err := jsontext.AppendQuote(append(b, `,"method":`...), method)
	if err != nil {
		return nil, err
	}
	if raw, ok := params.(jsontext.Value); params == nil || ok && raw == nil {
		return append(b, '}'), nil
	}
	b, err = appendValue(append(b, `,"params":`...), params)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

func encodeResult(id jsontext.Value, result any) ([]byte, error) {
	b, err := appendValue(append(appendAnswer(id), `,"result":`...), result)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

func encodeError(id jsontext.Value, e *Error) ([]byte, error) {
	b, err := appendValue(append(appendAnswer(id), `,"error":`...), e)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

func appendAnswer(id jsontext.Value) []byte {
	return append([]byte(`{"jsonrpc":"2.0","id":`), id...)
}

// appendValue appends v to b. A raw value is appended as it is, byte by byte.
func appendValue(b []byte, v any) ([]byte, error) {
	if raw, ok := v.(jsontext.Value); ok {
		if !raw.IsValid(tolerant) {
			return nil, errors.New("the raw value is not JSON")
		}
		return append(b, raw...), nil
	}
	buf := bytes.NewBuffer(b)
	if err := json.MarshalWrite(buf, v, exact); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
