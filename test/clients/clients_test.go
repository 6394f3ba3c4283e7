// Package clients_test runs the Inspector CLI and the official TypeScript
// clients against idem-mcp. They need Node and packages from npm, so a plain
// go test skips them and .ci/run does not.
package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNodeClients(t *testing.T) {
	if os.Getenv("CLIENT_TESTS") == "" {
		t.Skip("set CLIENT_TESTS=1 after `npm ci` in test/clients, or run: make clients")
	}
	bin := filepath.Join(t.TempDir(), "idem-mcp")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/idem-mcp")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "node", "clients.mjs")
	cmd.Env = append(os.Environ(), "BIN="+bin)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "checks passed") {
		t.Fatal(err)
	}
}
