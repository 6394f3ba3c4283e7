// Command bundle makes the .mcpb bundle and server.json from the programs that
// goreleaser has built. .goreleaser.yaml runs it after the last build.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idem-mcp/idem-mcp/release"
)

func main() {
	version := flag.String("version", "", "the version, without v")
	dist := flag.String("dist", "dist", "goreleaser's folder")
	texts := flag.String("texts", "release/out/THIRD_PARTY_LICENSES", "the licences of what is linked, as release/licences writes them")
	flag.Parse()
	if err := run(*version, *dist, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "bundle: "+err.Error())
		os.Exit(1)
	}
}

func run(version, dist, texts string) error {
	programs := map[string]string{}
	for platform, pattern := range map[string]string{
		"linux": "linux-amd64_linux_amd64*/idem-mcp", "darwin": "*_darwin_all/idem-mcp", "win32": "windows-amd64_windows_amd64*/idem-mcp.exe",
	} {
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("%d programs in %s are named %s, and one is needed", len(found), dist, pattern)
		}
		programs[platform] = found[0]
	}
	return release.Write(version, dist, programs, map[string]string{"LICENSE": "LICENSE", "THIRD_PARTY_LICENSES": texts})
}
