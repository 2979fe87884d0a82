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

// document is a TOML file that is read strictly, into a value of a type.
type document struct {
	path    string
	version int // that this program knows
	into    reflect.Type
	lines   map[string]int // of the keys and tables in it
}

// parse reads a configuration file.
func parse(path string, data []byte) (File, error) {
	f := File{Path: path, Screen: defaultScreen()}
	f.doc = document{path: path, version: fileVersion, into: reflect.TypeFor[File]()}
	if err := f.doc.decode(data, &f); err != nil {
		return File{}, err
	}
	if err := f.check(); err != nil {
		return File{}, err
	}
	return f, nil
}

// Wrong makes an error about a key, such as auth.issuer[1].issuer, or about the table that it is missing in.
func (f *File) Wrong(key string, err error, remedy string) error {
	return f.doc.wrong(key, err, remedy)
}

// decode reads data into v. Its version is looked at first: what a newer one may hold besides is no mistake.
func (d *document) decode(data []byte, v any) error {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // the byte order mark of a Windows editor
	var head struct {
		Version int `toml:"version"`
	}
	if err := toml.Unmarshal(data, &head); err != nil {
		return d.decodeError(err)
	}
	d.lines = findLines(data)
	switch {
	case head.Version > d.version:
		return d.wrong("version", fmt.Errorf("the file is of version %d, and this ahptui knows version %d", head.Version, d.version),
			"use the ahptui that it was written for, or another file")
	case head.Version < 0:
		return d.wrong("version", fmt.Errorf("there is no version %d", head.Version), fmt.Sprintf("write version = %d", d.version))
	}
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return d.decodeError(err)
	}
	return nil
}

func (d *document) wrong(key string, err error, remedy string) error {
	line := 0
	for at := key; line == 0 && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		line = d.lines[at]
	}
	return &Error{Path: d.path, Line: line, Key: shownKey(key), Err: err, Remedy: remedy}
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
func (d *document) decodeError(err error) error {
	out := &Error{Path: d.path, Err: err, Remedy: "correct that line; the format is described at https://toml.io"}
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		out.Line, _ = first.Position()
		out.Key = strings.Join(first.Key(), ".")
		out.Err, out.Remedy = errors.New("there is no such key"), d.knownKeys(first.Key())
		return out
	}
	wrong, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return out
	}
	out.Line, _ = wrong.Position()
	out.Key = strings.Join(wrong.Key(), ".")
	text := strings.TrimPrefix(wrong.Error(), "toml: ")
	if kind := d.kindOf(wrong.Key()); kind != "" && (strings.Contains(text, "cannot decode") || strings.Contains(text, "cannot store")) {
		text, out.Remedy = "its value is not "+kind, "write "+kind+" there"
	}
	out.Err = errors.New(text)
	return out
}

// fieldAt finds the type of a key's value.
func (d *document) fieldAt(key []string) (reflect.Type, bool) {
	t := d.into
	for _, name := range key {
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map {
			t = t.Elem()
			continue
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
func (d *document) knownKeys(key []string) string {
	t, ok := d.fieldAt(key[:max(0, len(key)-1)])
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
func (d *document) kindOf(key []string) string {
	t, ok := d.fieldAt(key)
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
	case reflect.Interface:
		return ""
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
