package proctree

import (
	"strings"
	"testing"
)

func TestChildEnvironment(t *testing.T) {
	t.Parallel()
	env := Env([]string{"PATH=/bin", "AHP_TOKEN=t", "ahp_url=u", "AHPTUI_X=1", "AHPX=kept"}, map[string]string{"A": "b"})
	if got, want := strings.Join(env, " "), "PATH=/bin AHPX=kept A=b"; got != want {
		t.Errorf("environment is %q, want %q", got, want)
	}
}
