package cli

import (
	"context"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"ahptui/linear"
	"ahptui/tui"
)

// wantsLinear reports whether the environment asks for lines (AHPTUI_LINEAR).
func wantsLinear() bool {
	yes, err := strconv.ParseBool(os.Getenv("AHPTUI_LINEAR"))
	return err == nil && yes
}

// addLinear adds the flag of the commands that show the terminal interface.
func (a *app) addLinear(flags *pflag.FlagSet) {
	flags.BoolVar(&a.linear, "linear", wantsLinear(), "instead of the terminal interface, one line an event and commands by word, for screen readers and pipes (env AHPTUI_LINEAR)")
}

// showLinear follows a host by lines.
func (a *app) showLinear(ctx context.Context, conn *tui.Connection) error {
	if conn == nil {
		return fail(exitUsage, "give --url ws://HOST:PORT or set AHP_URL; or try ahptui demo --linear", "--linear has no host to follow")
	}
	if conn.Close != nil {
		defer conn.Close()
	}
	return linear.Run(ctx, linear.Options{
		Host: conn.Host, Name: conn.Name, Auth: conn.Auth, Identity: conn.Identity, Renewed: conn.Renewed,
		Hint: func(err error) string { return classify(err).hint },
		In:   a.In, Out: a.Out,
	})
}
