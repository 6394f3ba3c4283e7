package catalyst_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
)

// TestContract holds the source to what every source promises.
func TestContract(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
		runs := fstest.MapFS{}
		for _, r := range w.Runs {
			dir := strings.ReplaceAll(r.Instance, ":", "_")
			runs[dir+"/history.ndjson"] = &fstest.MapFile{Data: r.Lines}
			runs[dir+"/metadata.json"] = &fstest.MapFile{Data: r.MetadataJSON}
		}
		s := start(t, catalysttest.Options{Runs: runs, Full: w.Level == history.LevelFull})
		src := signedIn(t, s)
		switch w.Fault {
		case sourcetest.Forbidden:
			s.Inject(catalysttest.Fault{Kind: "403"})
		case sourcetest.Unreachable:
			s.Close()
		}
		return src
	})
}
