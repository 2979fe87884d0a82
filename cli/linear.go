package cli

import (
	"context"
	"os"
	"strconv"

	"ahptui/linear"
	"ahptui/tui"
)

// wantsLinear reports whether the environment asks for lines (AHPTUI_LINEAR).
func wantsLinear() bool {
	yes, err := strconv.ParseBool(os.Getenv("AHPTUI_LINEAR"))
	return err == nil && yes
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
