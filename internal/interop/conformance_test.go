package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// revision is the one of the Model Context Protocol whose requirements are tried.
const revision = "2026-07-28"

// scored is how many scenarios of a client that signs in the revision requires.
const scored = 25

// clientDocument is the id by which the suite knows a client that has a document.
const clientDocument = "https://conformance-test.local/client-metadata.json"

// refusals are what the program says in the scenarios in which it must not go on. In all others nothing may fail.
var refusals = map[string]string{
	"auth/scope-retry-limit":        "the host asks again",
	"auth/resource-mismatch":        "resource: the host asks for a token for",
	"auth/iss-supported-missing":    "authorization: the answer does not say which authorization server it comes from",
	"auth/iss-wrong-issuer":         "authorization: the answer comes from",
	"auth/iss-unexpected":           "authorization: the answer comes from",
	"auth/iss-normalized":           "authorization: the answer comes from",
	"auth/metadata-issuer-mismatch": "discovery: the authorization server was named",
}

// ofTheHost are scenarios that are not about signing in and that the embedded host passes as a client of its servers. It
// begins with the handshake that every server knows, so those that look at the very first request are not among them.
var ofTheHost = []string{"tools_call", "http-invalid-tool-headers"}

// suite is the conformance suite with the bridge as the client that it tries.
type suite struct {
	parts
	env []string
}

func newSuite(t *testing.T) *suite {
	t.Helper()
	p := needParts(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("version = 1\n\n[auth]\nclient_document = \""+clientDocument+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &suite{p, append(os.Environ(), bridgeVar+"=1", programVar+"="+build(t), configVar+"="+config)}
}

func (s *suite) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.node(), append([]string{filepath.Join(s.dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js")}, args...)...)
	cmd.Env = s.env
	return cmd
}

// signingIn are the scenarios of a client that signs in, as far as they are scored.
func (s *suite) signingIn(t *testing.T) []string {
	t.Helper()
	out, err := s.command(t, "list", "--client", "--requirements", revision).CombinedOutput()
	required, _, ok := strings.Cut(string(out), "never scored")
	if err != nil || !ok {
		t.Fatalf("the list of scenarios: %v\n%s", err, out)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^ +- (auth/\S+)$`).FindAllStringSubmatch(required, -1) {
		names = append(names, m[1])
	}
	return names
}

// run tries one scenario and returns how many checks it passed.
func (s *suite) run(t *testing.T, scenario string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.command(t, "client", "--command", self, "--scenario", scenario, "--spec-version", revision, "-o", t.TempDir())
	text, err := cmd.CombinedOutput()
	out := string(text)
	counts := regexp.MustCompile(`Passed: (\d+)/(\d+), 0 failed, 0 warnings`).FindStringSubmatch(out)
	if err != nil || counts == nil || counts[1] != counts[2] {
		t.Fatalf("%v\n%s", err, out)
	}
	if why, refuses := refusals[scenario]; refuses != strings.Contains(out, "Client exited with code 1") || !strings.Contains(out, why) {
		t.Errorf("it ends for another reason than %q:\n%s", why, out)
	}
	passed, err := strconv.Atoi(counts[1])
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

// TestConformance runs the suite's scenarios of a client that signs in.
func TestConformance(t *testing.T) {
	s := newSuite(t)
	names := s.signingIn(t)
	if len(names) != scored {
		t.Errorf("%d scenarios are scored, want %d: %v", len(names), scored, names)
	}
	checks := 0
	for _, scenario := range names {
		t.Run(scenario, func(t *testing.T) { checks += s.run(t, scenario) })
	}
	t.Logf("%d scenarios, %d checks", len(names), checks)
}

// TestConformanceOfHost runs others.
func TestConformanceOfHost(t *testing.T) {
	s := newSuite(t)
	for _, scenario := range ofTheHost {
		t.Run(scenario, func(t *testing.T) { s.run(t, scenario) })
	}
}
