package release

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/idem-mcp/idem-mcp/tools"
)

// Repository is where the source, the releases and the documentation are.
const Repository = "https://github.com/idem-mcp/idem-mcp"

// Description fits the registry, which takes 100 characters.
const Description = "Was this workflow activity executed twice? Evidence from Dapr and Catalyst histories, and code."

// manifestVersion is that of the bundle's format, and serverSchema names that of the
// registry's; testdata has both schemas.
const (
	manifestVersion = "0.3"
	serverSchema    = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
)

// semver is what the bundle and the registry take: no v before it, no ranges.
var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func checkVersion(version string) error {
	if !semver.MatchString(version) {
		return fmt.Errorf("%q is not a version such as 1.2.3", version)
	}
	return nil
}

// A Platform is a system that the bundle has a program for.
type Platform struct {
	Name    string // as bundles name it
	Program string // its place in the bundle
}

// Platforms are those of the bundle. Bundles do not tell processors apart: the
// macOS program holds both, Linux and Windows are amd64.
func Platforms() []Platform {
	return []Platform{
		{"linux", "server/linux/idem-mcp"}, {"darwin", "server/darwin/idem-mcp"}, {"win32", "server/win32/idem-mcp.exe"},
	}
}

type object = map[string]any

// Manifest is manifest.json of the bundle.
func Manifest(version string) ([]byte, error) {
	if err := checkVersion(version); err != nil {
		return nil, err
	}
	args := []string{"serve", "${user_config.runs}"}
	var platforms []string
	overrides := object{}
	for _, p := range Platforms() {
		platforms = append(platforms, p.Name)
		overrides[p.Name] = object{"command": "${__dirname}/" + p.Program, "args": args}
	}
	var list []object
	for _, c := range tools.All() {
		list = append(list, object{"name": c.Name, "description": c.Purpose})
	}
	return indented(object{
		"manifest_version": manifestVersion, "name": "idem-mcp", "display_name": "idem-mcp", "version": version, "description": Description,
		"long_description": "Reads recorded workflow runs of Dapr and Diagrid Catalyst and says which activity calls were executed more than once, how certain that is, " +
			"and on what evidence. It changes nothing. The review of source code is not in the macOS program: its parsers need a C compiler there.",
		"author":     object{"name": "The idem-mcp authors", "url": Repository},
		"repository": object{"type": "git", "url": Repository + ".git"}, "homepage": Repository, "documentation": Repository + "#readme", "support": Repository + "/issues",
		"license": "Apache-2.0", "keywords": []string{"dapr", "catalyst", "workflow", "idempotency"},
		"server": object{
			"type": "binary", "entry_point": Platforms()[0].Program,
			"mcp_config": object{"command": "${__dirname}/" + Platforms()[0].Program, "args": args, "platform_overrides": overrides},
		},
		"tools": list, "prompts_generated": true,
		"compatibility": object{"platforms": platforms},
		// A client leaves the variable in the command line as it is if no folder is
		// chosen, so one is required.
		"user_config": object{"runs": object{
			"type": "directory", "title": "Exported runs", "multiple": true, "required": true,
			"description": "Folders of exported workflow histories. They are only read.",
		}},
	})
}

// Server is server.json for the MCP registry: the bundle of this version, whose
// SHA-256 is given in hexadecimal.
func Server(version, sha256 string) ([]byte, error) {
	if err := checkVersion(version); err != nil {
		return nil, err
	}
	return indented(object{
		"$schema": serverSchema, "name": "io.github.idem-mcp/idem-mcp", "title": "idem-mcp", "description": Description, "version": version,
		"repository": object{"url": Repository, "source": "github"}, "websiteUrl": Repository,
		"packages": []object{{
			"registryType": "mcpb", "identifier": Repository + "/releases/download/v" + version + "/" + BundleName(version), "version": version,
			"fileSha256": sha256, "transport": object{"type": "stdio"},
		}},
	})
}

// BundleName is the file name of a version's bundle.
func BundleName(version string) string { return "idem-mcp_" + version + ".mcpb" }

func indented(v any) ([]byte, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	return append(raw, '\n'), err
}
