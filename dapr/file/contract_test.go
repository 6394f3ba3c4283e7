package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
)

// TestContract runs the contract of every source over run folders. A file is
// never unreachable, and a superuser is forbidden nothing.
func TestContract(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
		if w.Fault == sourcetest.Unreachable || w.Fault == sourcetest.Forbidden && os.Getuid() == 0 {
			return nil
		}
		dir := t.TempDir()
		for _, r := range w.Runs {
			folder := filepath.Join(dir, strings.ReplaceAll(r.Instance, ":", "_"))
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, data := range map[string][]byte{"history.ndjson": r.Lines, "metadata.json": r.MetadataJSON} {
				if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		if w.Fault == sourcetest.Forbidden {
			if err := os.Chmod(dir, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		}
		s, err := file.New(file.Config{Paths: []string{dir}, Options: history.Options{Sharing: history.Sharing{Level: w.Level, How: "set by the test"}}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
