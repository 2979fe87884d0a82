package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// revision is the one of the Model Context Protocol whose requirements are tried.
const revision = "2026-07-28"

// clientDocument is the id by which the suite knows a client that has a document.
const clientDocument = "https://conformance-test.local/client-metadata.json"

// TestConformance runs the suite's scenarios of a client that signs in.
func TestConformance(t *testing.T) {
	p := needParts(t)
	program := build(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("version = 1\n\n[auth]\nclient_document = \""+clientDocument+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(p.dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range scenarios() {
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), p.node(), suite, "client", "--command", self, "--scenario", scenario, "--spec-version", revision, "-o", t.TempDir())
			cmd.Env = append(os.Environ(), bridgeVar+"=1", programVar+"="+program, configVar+"="+config)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "FAILURE") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// scenarios are those of the suite that are about signing in and are scored.
func scenarios() []string {
	return []string{
		"auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
		"auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
		"auth/scope-step-up", "auth/scope-retry-limit",
		"auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none", "auth/pre-registration",
		"auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported", "auth/authorization-server-migration",
		"auth/iss-supported", "auth/iss-not-advertised", "auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected",
		"auth/iss-normalized", "auth/metadata-issuer-mismatch",
	}
}
