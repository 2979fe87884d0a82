package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// themeVersion is the version of a theme's file that this program knows.
const themeVersion = 1

// Theme is a person's own theme, as it stands in a file of its own. Its names and colours are not looked at here.
type Theme struct {
	// Path is where it was read from.
	Path    string `toml:"-"`
	Version int    `toml:"version"`
	// Base is the theme that it changes.
	Base string `toml:"base"`
	// Colours are the changed ones; Dark and Light count on a background that is so.
	Colours map[string]string `toml:"colours"`
	Dark    map[string]string `toml:"dark"`
	Light   map[string]string `toml:"light"`

	doc document
}

// ErrNoTheme says that a person has no theme of a name.
var ErrNoTheme = errors.New("there is no such theme")

// LoadTheme reads a person's own theme: themes/NAME.toml beside the configuration file, or beside where that would be. If
// there is none the error wraps [ErrNoTheme]; any other is an [*Error].
func (f *File) LoadTheme(name string) (Theme, error) {
	if err := checkThemeName(name); err != nil {
		return Theme{}, errors.Join(ErrNoTheme, err)
	}
	dir, err := f.ThemeDir()
	if err != nil {
		return Theme{}, errors.Join(ErrNoTheme, err)
	}
	path := filepath.Join(dir, name+".toml")
	data, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Theme{}, ErrNoTheme
	case err != nil:
		return Theme{}, err
	}
	t := Theme{Path: path, doc: document{path: path, version: themeVersion, into: reflect.TypeFor[Theme]()}}
	if err := t.doc.decode(data, &t); err != nil {
		return Theme{}, err
	}
	return t, nil
}

// Wrong makes an error about a key of the theme, such as colours.error.
func (t *Theme) Wrong(key string, err error, remedy string) error {
	return t.doc.wrong(key, err, remedy)
}

// OwnThemes are the names of the themes of a person's own, sorted.
func (f *File) OwnThemes() []string {
	dir, err := f.ThemeDir()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // mostly there is none
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok && checkThemeName(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// ThemeDir is where the themes of a person's own lie. It need not exist.
func (f *File) ThemeDir() (string, error) {
	path := f.Path
	if path == "" {
		var err error
		if path, err = FilePath(); err != nil {
			return "", err
		}
	}
	return filepath.Join(filepath.Dir(path), "themes"), nil
}

// checkThemeName refuses what is no name of a file in one directory.
func checkThemeName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	const most = 64
	if name == "" || len(name) > most || strings.Trim(name, letters) != "" {
		return errors.New("the name of a theme has letters, digits, - and _ only")
	}
	return nil
}
