package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Error says what is wrong with a configuration file.
type Error struct {
	Path string
	Line int    // from 1; 0 when it is about the file as a whole
	Key  string // such as auth.issuer.client_id; empty when it is about none
	Err  error
	// Remedy is what the person can do; empty when there is nothing to say.
	Remedy string
}

// Error implements error: the file, the line, the key, and what is wrong.
func (e *Error) Error() string {
	text := e.Path + ": "
	if e.Line > 0 {
		text = fmt.Sprintf("%s:%d: ", e.Path, e.Line)
	}
	if e.Key != "" {
		text += e.Key + ": "
	}
	return text + e.Err.Error()
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// parse reads a file. Its version is looked at first: what a newer one may hold besides is no mistake.
func parse(path string, data []byte) (File, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // the byte order mark of a Windows editor
	f := File{Path: path}
	var head struct {
		Version int `toml:"version"`
	}
	if err := toml.Unmarshal(data, &head); err != nil {
		return File{}, f.decodeError(err)
	}
	f.lines = findLines(data)
	if head.Version > fileVersion {
		return File{}, f.Wrong("version", fmt.Errorf("the file is of version %d, and this ahptui knows version %d", head.Version, fileVersion),
			"use the ahptui that it was written for, or name another file with --config")
	}
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return File{}, f.decodeError(err)
	}
	if err := f.check(); err != nil {
		return File{}, err
	}
	return f, nil
}

// Wrong makes an error about a key, such as auth.issuer[1].issuer, or about the table that it is missing in.
func (f *File) Wrong(key string, err error, remedy string) error {
	line := 0
	for at := key; line == 0 && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		line = f.lines[at]
	}
	return &Error{Path: f.Path, Line: line, Key: shownKey(key), Err: err, Remedy: remedy}
}

// shownKey is a key without the numbers of tables: the line tells which it is.
func shownKey(key string) string {
	var shown strings.Builder
	for part := range strings.SplitSeq(key, "[") {
		if _, after, ok := strings.Cut(part, "]"); ok {
			part = after
		}
		shown.WriteString(part)
	}
	return shown.String()
}

// decodeError makes an error of what the TOML library says.
func (f *File) decodeError(err error) error {
	out := &Error{Path: f.Path, Err: err, Remedy: "correct that line; the format is described at https://toml.io"}
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		out.Line, _ = first.Position()
		out.Key = strings.Join(first.Key(), ".")
		out.Err, out.Remedy = errors.New("there is no such key"), knownKeys(first.Key())
		return out
	}
	wrong, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return out
	}
	out.Line, _ = wrong.Position()
	out.Key = strings.Join(wrong.Key(), ".")
	text := strings.TrimPrefix(wrong.Error(), "toml: ")
	if kind := kindOf(wrong.Key()); kind != "" && (strings.Contains(text, "cannot decode") || strings.Contains(text, "cannot store")) {
		text, out.Remedy = "its value is not "+kind, "write "+kind+" there"
	}
	out.Err = errors.New(text)
	return out
}

// fieldAt finds the type of a key's value.
func fieldAt(key []string) (reflect.Type, bool) {
	t := reflect.TypeFor[File]()
	for _, name := range key {
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil, false
		}
		fields := reflect.VisibleFields(t)
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("toml") == strings.ToLower(name) })
		if i < 0 {
			return nil, false
		}
		t = fields[i].Type
	}
	return t, true
}

// knownKeys says which keys there are beside one that is not known.
func knownKeys(key []string) string {
	t, ok := fieldAt(key[:max(0, len(key)-1)])
	if !ok {
		return ""
	}
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if name := field.Tag.Get("toml"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return "there are: " + strings.Join(names, ", ")
}

// kindOf says what the value of a key has to be.
func kindOf(key []string) string {
	t, ok := fieldAt(key)
	if !ok {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "a text in quotes"
	case reflect.Int:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of texts in quotes"
		}
		return "a table of its own, [[" + strings.Join(key, ".") + "]]"
	}
	return "a table, [" + strings.Join(key, ".") + "]"
}

// findLines finds the lines of all keys and tables of a file that can be read. Tables of a list are counted from 0.
func findLines(data []byte) map[string]int {
	lines, counts, table := map[string]int{}, map[string]int{}, ""
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		line := 0
		for key := e.Key(); key.Next(); {
			if line == 0 {
				line = p.Shape(key.Node().Raw).Start.Line
			}
			names = append(names, strings.ToLower(string(key.Node().Data)))
		}
		name := strings.Join(names, ".")
		switch e.Kind {
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s[%d]", name, counts[name])
			counts[name]++
			name = table
		case unstable.Table:
			table = name
		case unstable.KeyValue:
			if table != "" {
				name = table + "." + name
			}
		default:
			continue
		}
		lines[name] = line
	}
	return lines
}
