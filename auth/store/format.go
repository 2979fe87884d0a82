package store

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
)

// format is the outer form of a file, with a version. The versions count from 1.
type format struct {
	name string
	// upgrades make content of the next version out of content of each version so far: the first one makes version 2 out
	// of version 1. So their number says which version is the present one.
	upgrades []func(jsontext.Value) (jsontext.Value, error)
}

func (f format) version() int { return 1 + len(f.upgrades) }

// envelope is what stands in a file: the content as it is, or sealed by the key of that name.
type envelope struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Key     string         `json:"key,omitzero"`
	Sealed  []byte         `json:"sealed,omitzero"`
	Content jsontext.Value `json:"content,omitzero"`
}

// encode makes a file of a value. The file's name is bound to it when it is sealed.
func (f format) encode(name string, value any, seal *sealer) ([]byte, error) {
	plain, err := json.Marshal(value, reveal())
	if err != nil {
		return nil, errors.New("it cannot be written as JSON") // the error may quote a secret
	}
	e := envelope{Format: f.name, Version: f.version()}
	if seal == nil {
		e.Content = plain
	} else {
		e.Key = seal.id
		e.Sealed = seal.seal(plain, e.bound(name))
		clear(plain)
	}
	return json.Marshal(e)
}

// open reads an envelope without opening what is in it.
func (f format) open(data []byte) (envelope, error) {
	var e envelope
	// A newer version may have changed everything but these two.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if json.Unmarshal(data, &head) != nil || head.Format != f.name || head.Version < 1 {
		return envelope{}, errDamaged
	}
	if head.Version > f.version() {
		return envelope{}, fmt.Errorf("%w (its form is version %d, this program knows %d)", ErrNewer, head.Version, f.version())
	}
	if json.Unmarshal(data, &e) != nil {
		return envelope{}, errDamaged
	}
	return e, nil
}

// decode reads the content of an envelope, after making the present version of it. No error holds any of it.
func (f format) decode(name string, e envelope, seal *sealer, value any) error {
	plain := e.Content
	if seal != nil {
		var err error
		if plain, err = seal.open(e.Sealed, e.bound(name)); err != nil {
			return errDamaged
		}
		defer clear(plain)
	}
	for _, upgrade := range f.upgrades[e.Version-1:] {
		var err error
		if plain, err = upgrade(plain); err != nil {
			return errDamaged
		}
	}
	if len(plain) == 0 || json.Unmarshal(plain, value, reveal()) != nil {
		return errDamaged
	}
	return nil
}

// bound is what a seal is good for: this version of this format, in the file of this name, by this key.
func (e envelope) bound(name string) string {
	return fmt.Sprintf("%s %d %s %s", e.Format, e.Version, e.Key, name)
}

// reveal has secrets written and read as what they are. It is for what goes into a file of the store, and nothing else.
func reveal() json.Options {
	return json.JoinOptions(
		json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, v secret.Value) error {
			return enc.WriteToken(jsontext.String(v.Reveal()))
		})),
		json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *secret.Value) error {
			var text string
			if err := json.UnmarshalDecode(dec, &text); err != nil {
				return err
			}
			*v = secret.New(text)
			return nil
		})),
	)
}
