package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/pflag"

	"ahptui/config"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/tui"
)

// lookFlags are the flags that say how the terminal interface looks.
type lookFlags struct {
	theme string
	ascii *bool // nil: not given
}

func (l *lookFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&l.theme, "theme", "", "the theme: "+strings.Join(themes.Names(), ", ")+", or one of your own")
	flags.BoolFunc("ascii", "draw frames and signs with ASCII only", func(s string) error {
		on, err := strconv.ParseBool(s)
		l.ascii = &on
		return err
	})
}

// The sources of a setting.
const (
	fromDefault = "default"
	fromFile    = "file"
	fromEnv     = "env"
	fromFlag    = "flag"
)

// look is how the terminal interface looks, and who said so.
type look struct {
	theme, themeFrom string
	own              *themes.Own // the theme, if it is a person's own
	ascii            bool
	asciiFrom        string
	width            int // of ambiguous characters
	widthFrom        string
	profile          colorprofile.Profile
}

// look puts together what the flags, the environment and the configuration file say.
func (a *app) look(file *config.File) (look, error) {
	l := look{theme: file.Theme, themeFrom: source(file, "theme"), profile: colorprofile.Detect(a.Out, os.Environ())}
	l.width, l.widthFrom = ambiguousWidth(file)
	l.ascii, l.asciiFrom = a.asciiOnly(file, l.width)
	if a.flags.theme != "" {
		l.theme, l.themeFrom = a.flags.theme, fromFlag
	}
	if slices.Contains(themes.Names(), l.theme) {
		return l, nil
	}
	said, err := ownTheme(file, l.theme)
	if errors.Is(err, config.ErrNoTheme) {
		err = fmt.Errorf("no theme is called %q", l.theme)
		remedy := "write one of " + strings.Join(append(themes.Names(), file.OwnThemes()...), ", ") + ", or make it: themes/" + l.theme + ".toml beside the configuration file"
		if l.themeFrom == fromFlag {
			return l, &failure{exitUsage, err, remedy}
		}
		return l, file.Wrong("theme", err, remedy)
	}
	l.own = said
	return l, err
}

// ownTheme is a theme of a person's own, if nothing is wrong with it.
func ownTheme(file *config.File, name string) (*themes.Own, error) {
	said, err := file.LoadTheme(name)
	if err != nil {
		return nil, err
	}
	own := &themes.Own{Base: said.Base, Colours: said.Colours, Dark: said.Dark, Light: said.Light}
	_, err = themes.New(name, themes.Options{Own: own, Profile: colorprofile.TrueColor})
	if wrong, ok := errors.AsType[*themes.OwnError](err); ok {
		return nil, said.Wrong(wrong.Key, wrong.Err, wrong.Remedy)
	}
	return own, err
}

// on is the theme for a background.
func (l look) on(dark bool) themes.Theme {
	theme, err := themes.New(l.theme, themes.Options{Dark: dark, Profile: l.profile, ASCII: l.ascii, Own: l.own})
	if err != nil { // it was made once
		panic(err)
	}
	return theme
}

// source tells whether the file says something.
func source(file *config.File, key string) string {
	if file.Says(key) {
		return fromFile
	}
	return fromDefault
}

// asciiOnly tells whether there are no other signs. Where the terminal does not draw lines in one column each, or its
// locale has no such signs, there are none.
func (a *app) asciiOnly(file *config.File, width int) (ascii bool, from string) {
	switch {
	case a.flags.ascii != nil:
		return *a.flags.ascii || width > 1, fromFlag
	case file.Says("ascii"):
		return file.ASCII || width > 1, fromFile
	case !utf8Locale(os.Getenv):
		return true, fromEnv
	}
	return width > 1, fromDefault
}

// utf8Locale tells whether text is UTF-8, going by the variable that counts (POSIX, 8.2). Where none is set nothing is
// known, and it mostly is.
func utf8Locale(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// darkGround guesses the background before the terminal has told it: by what some set for their programs, the colours by
// their numbers with the background last; else it is as it was the last time.
func darkGround(getenv func(string) string, last bool) bool {
	said := getenv("COLORFGBG")
	n, err := strconv.Atoi(said[strings.LastIndexByte(said, ';')+1:])
	if err != nil {
		return last
	}
	const white, grey = 7, 8
	return n < white || n == grey
}

// bindings are the keys, and what is wrong with those that the person has changed.
func bindings(file *config.File) (*keymap.Map, []keymap.Problem) {
	return keymap.New(keymap.Preset(file.KeysPreset), file.Keys)
}

// screenOptions are the options of the terminal interface that the person has a say in.
func (a *app) screenOptions() (tui.Options, error) {
	file, err := a.account.fileAt(a.configFile)
	if err != nil {
		return tui.Options{}, err
	}
	l, err := a.look(&file)
	if err != nil {
		return tui.Options{}, err
	}
	if err := a.measureSo(l.width); err != nil {
		return tui.Options{}, err
	}
	keys, problems := bindings(&file)
	opts := tui.Options{
		ThemeOn: l.on, ASCII: l.ascii,
		Keys: keys, Mouse: file.Mouse, Notify: tui.Notify{Bell: file.Bell, Desktop: desktop(file.Notify)},
	}
	if err := recall(&opts); err != nil {
		opts.Problems = append(opts.Problems, "the look of the screen is not remembered: "+err.Error())
	}
	opts.Theme = l.on(darkGround(os.Getenv, !opts.Remembered.Light))
	for _, p := range problems {
		opts.Problems = append(opts.Problems, p.String())
	}
	if l.profile <= colorprofile.ASCII {
		opts.ThemeOn = nil // it is the same on any background
	}
	return opts, nil
}

// recall reads what is remembered from the last run. Where there is no place for it nothing is.
func recall(opts *tui.Options) error {
	dir, err := config.StateDir()
	if err != nil {
		return err
	}
	opts.Memory = config.MemoryIn(dir)
	opts.Remembered, err = opts.Memory.Load()
	if errors.Is(err, config.ErrNewer) {
		opts.Memory = nil // it is left alone
	}
	return err
}

// desktop is how notifications are asked for.
func desktop(said string) tui.Desktop {
	if said == "off" {
		return tui.NoDesktop
	}
	return tui.Desktop(said)
}
