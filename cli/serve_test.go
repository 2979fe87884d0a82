package cli

import (
	"testing"

	"ahptui/host"
)

// What those get who can connect is asked for where everybody can.
func TestServeAccess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flags serveFlags
		want  access
		ok    bool
	}{
		{serveFlags{}, access{host.ReadFiles, true}, true},
		{serveFlags{noToken: true}, access{host.NoFiles, false}, true},
		{serveFlags{noToken: true, files: "write", terminal: "yes"}, access{host.WriteFiles, true}, true},
		{serveFlags{files: "none", terminal: "no"}, access{host.NoFiles, false}, true},
		{serveFlags{files: "read"}, access{host.ReadFiles, true}, true},
		{serveFlags{files: "all"}, access{}, false},
		{serveFlags{terminal: "maybe"}, access{}, false},
	} {
		got, err := tt.flags.access()
		if (err == nil) != tt.ok || tt.ok && got != tt.want {
			t.Errorf("%+v gives %+v, %v", tt.flags, got, err)
		}
	}
}
