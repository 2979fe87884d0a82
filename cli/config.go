package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ahptui/config"
	"ahptui/keymap"
	"ahptui/themes"
)

func (a *app) configCommand() *cobra.Command {
	show := &cobra.Command{
		Use: "show", Short: "Print every setting that counts, and where it comes from", Args: cobra.NoArgs,
		Long: `show prints the settings as they count, each with its source: default, file (the
configuration file), env (a variable of the environment) or flag. No secret is
printed, only where secrets are.

With --json it is an object with file and settings, an array of objects with key,
value and source.`,
		RunE: func(*cobra.Command, []string) error { return a.showConfig() },
	}
	a.flags.add(show.Flags())
	path := &cobra.Command{
		Use: "path", Short: "Print where the configuration file lies, whether or not it is there", Args: cobra.NoArgs,
		Long: `path prints where the configuration file lies, whether or not it is there.

With --json it is an object with file, exists, themes, the directory of themes of
your own, and state, the directory of what the program keeps.`,
		RunE: func(*cobra.Command, []string) error { return a.printPaths() },
	}
	validate := &cobra.Command{
		Use: "validate [FILE]", Short: "Look for mistakes in the configuration file, or in another one", Args: cobra.MaximumNArgs(1),
		Long: `validate looks for mistakes in the configuration file, in the files that it names
and in the themes of your own. It ends with 2 if there is one. A key that does not
work on every terminal is told too, and is no mistake.

With --json it is an object with file and problems, an array of objects with
problem, hint and mistake.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.configFile = args[0]
			}
			return a.validateConfig()
		},
	}
	return group("config", "Look at the configuration", show, path, validate)
}

// setting is a setting as `config show` prints it.
type setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"`
}

func (a *app) showConfig() error {
	file, err := a.account.fileAt(a.configFile)
	if err != nil {
		return err
	}
	l, err := a.look(&file)
	if err != nil {
		return err
	}
	settings := append(a.screenSettings(&file, l), a.hostSettings(&file)...)
	if a.json {
		return printJSON(a.Out, struct {
			File     string    `json:"file"` // empty: there is none
			Settings []setting `json:"settings"`
		}{file.Path, settings})
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tVALUE\tSOURCE")
	for _, s := range settings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", line(s.Key), line(fmt.Sprint(shown(s.Value))), s.Source)
	}
	return w.Flush()
}

// shown is a value as it stands in a table.
func shown(value any) any {
	switch v := value.(type) {
	case string:
		return cmp.Or(v, "-")
	case []string:
		return cmp.Or(strings.Join(v, " "), "-")
	}
	return value
}

// screenSettings are those of the terminal interface.
func (a *app) screenSettings(file *config.File, l look) []setting {
	theme := setting{"theme", l.theme, l.themeFrom}
	if os.Getenv("NO_COLOR") != "" { // https://no-color.org
		theme = setting{"theme", themes.Monochrome, fromEnv}
	}
	list := []setting{
		theme,
		{"ascii", l.ascii, l.asciiFrom},
		{"ambiguous_width", l.width, l.widthFrom},
		{"mouse", file.Mouse, source(file, "mouse")},
		{"bell", file.Bell, source(file, "bell")},
		{"notify", file.Notify, source(file, "notify")},
		{"keys_preset", file.KeysPreset, source(file, "keys_preset")},
	}
	keys, problems := bindings(file)
	for _, section := range keys.Help(keymap.Everywhere) {
		for _, b := range section.Bindings {
			_, said := file.Keys[string(b.ID)]
			leftOut := slices.ContainsFunc(problems, func(p keymap.Problem) bool { return p.ID == b.ID && !p.Applied })
			from := fromDefault
			if said && !leftOut {
				from = fromFile
			}
			list = append(list, setting{"keys." + string(b.ID), b.Keys, from})
		}
	}
	return list
}

// hostSettings are those about hosts and signing in. A program that prints a token
// is named without its arguments.
func (a *app) hostSettings(file *config.File) []setting {
	list := []setting{
		{"auth.method", file.Auth.Method, source(file, "auth.method")},
		{"auth.client_document", file.Auth.ClientDocument, source(file, "auth.client_document")},
		{"auth.redirect_host", file.Auth.RedirectHost, source(file, "auth.redirect_host")},
		{"auth.redirect_port", file.Auth.RedirectPort, source(file, "auth.redirect_port")},
	}
	for i, issuer := range file.Auth.Issuers {
		key := fmt.Sprintf("auth.issuer[%d].", i)
		list = append(
			list,
			setting{key + "issuer", issuer.Issuer, fromFile},
			setting{key + "metadata_issuer", issuer.MetadataIssuer, source(file, key+"metadata_issuer")},
			setting{key + "assume_pkce_s256", issuer.AssumeS256, source(file, key+"assume_pkce_s256")},
			setting{key + "client_id", issuer.ClientID, source(file, key+"client_id")},
			setting{key + "client_secret_file", issuer.ClientSecretFile, source(file, key+"client_secret_file")},
		)
	}
	for i, token := range file.Auth.Tokens {
		key := fmt.Sprintf("auth.token[%d].", i)
		list = append(list, setting{key + "resource", token.Resource, fromFile})
		if token.File != "" {
			list = append(list, setting{key + "file", token.File, fromFile})
		} else {
			list = append(list, setting{key + "command", token.Command[0], fromFile})
		}
	}
	for i, host := range file.Hosts {
		key := fmt.Sprintf("host[%d].", i)
		list = append(list, setting{key + "url", host.URL, fromFile}, setting{key + "insecure", host.Insecure, source(file, key+"insecure")})
	}
	return append(list, a.flagSettings()...)
}

// flagSettings are those that stand in no file.
func (a *app) flagSettings() []setting {
	url, token, timeout := setting{"--url", "", fromDefault}, setting{"--token-file", a.tokenFile, fromDefault}, fromDefault
	if a.url != "" {
		url = setting{"--url", withoutToken(a.url), fromFlag}
		if a.url == os.Getenv("AHP_URL") {
			url.Source = fromEnv
		}
	}
	switch {
	case a.tokenFile != "":
		token.Source = fromFlag
	case !a.envToken.IsZero():
		token = setting{"--token-file", "AHP_TOKEN", fromEnv}
	}
	if a.timeout != defaultTimeout {
		timeout = fromFlag
	}
	insecure := fromDefault
	if a.insecureHost {
		insecure = fromFlag
	}
	return []setting{url, token, {"--timeout", a.timeout.String(), timeout}, {"--insecure-host", a.insecureHost, insecure}}
}

func (a *app) printPaths() error {
	path := a.configFile
	if path == "" {
		var err error
		if path, err = config.FilePath(); err != nil {
			return err
		}
	}
	if !a.json {
		_, err := fmt.Fprintln(a.Out, line(path))
		return err
	}
	file := config.File{Path: path}
	themeDir, err := file.ThemeDir()
	if err != nil {
		return err
	}
	state, err := config.StateDir()
	if err != nil {
		return err
	}
	_, err = os.Stat(path)
	return printJSON(a.Out, struct {
		File   string `json:"file"`
		Exists bool   `json:"exists"`
		Themes string `json:"themes"`
		State  string `json:"state"`
	}{path, err == nil, themeDir, state})
}

// problem is something that `config validate` found.
type problem struct {
	Problem string `json:"problem"`
	Hint    string `json:"hint,omitzero"`
	Mistake bool   `json:"mistake"` // false: it works, but perhaps not everywhere
}

func (a *app) validateConfig() error {
	file, err := a.account.fileAt(a.configFile)
	problems := []problem{}
	mistake := func(err error) {
		if err != nil {
			f := classify(err)
			problems = append(problems, problem{f.Error(), f.hint, true})
		}
	}
	mistake(err)
	if err == nil {
		a.lookThrough(&file, mistake)
		_, keys := bindings(&file)
		for _, p := range keys {
			if p.Applied {
				problems = append(problems, problem{Problem: p.String()})
				continue
			}
			mistake(file.Wrong("keys."+string(p.ID), errors.New(p.Text), ""))
		}
	}
	return a.printProblems(cmp.Or(file.Path, a.configFile), problems)
}

// lookThrough looks for mistakes in a file that could be read, and in those that it
// names.
func (a *app) lookThrough(file *config.File, mistake func(error)) {
	_, err := authConfigOf(*file)
	mistake(err)
	_, err = a.look(file)
	mistake(err)
	for _, name := range file.OwnThemes() {
		if slices.Contains(themes.Names(), name) {
			mistake(fail(exitUsage, "give the file another name", "themes/%s.toml is never used: there is a theme of that name", name))
		} else if name != file.Theme {
			_, err := ownTheme(file, name)
			mistake(err)
		}
	}
}

func (a *app) printProblems(path string, problems []problem) error {
	code := exitDone
	if slices.ContainsFunc(problems, func(p problem) bool { return p.Mistake }) {
		code = exitUsage
	}
	if a.json {
		if err := printJSON(a.Out, struct {
			File     string    `json:"file"`
			Problems []problem `json:"problems"`
		}{path, problems}); err != nil {
			return err
		}
		return reported(code)
	}
	for _, p := range problems {
		fmt.Fprintln(a.Out, line(p.Problem))
		if p.Hint != "" {
			fmt.Fprintln(a.Out, "  ", line(p.Hint))
		}
	}
	switch {
	case path == "":
		fmt.Fprintln(a.Out, "there is no configuration file, which is no mistake")
	case len(problems) == 0:
		fmt.Fprintln(a.Out, line(path).String()+": no mistakes")
	}
	return reported(code)
}
