package component

import (
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Places lists the folders where Dapr keeps components, in the order in which
// they count: what the environment names, what dapr.yaml names, the usual
// folders of a project, the one of the user. Folders that do not exist are left
// out.
func Places(dir, home string, getenv func(string) string) []string {
	var all []string
	for _, name := range []string{"DAPR_RESOURCES_PATH", "DAPR_COMPONENTS_PATH"} {
		all = append(all, filepath.SplitList(getenv(name))...)
	}
	all = append(all, runTemplate(filepath.Join(dir, "dapr.yaml"))...)
	for _, d := range []string{"components", "resources", "dapr/components", "dapr/resources", ".dapr/components", ".dapr/resources", "deploy/components", "config/components"} {
		all = append(all, filepath.Join(dir, d))
	}
	if base := getenv("DAPR_RUNTIME_PATH"); base != "" {
		all = append(all, filepath.Join(base, ".dapr", "components"))
	}
	if home != "" {
		all = append(all, filepath.Join(home, ".dapr", "components"), filepath.Join(home, ".dapr", "resources"))
	}
	seen := map[string]bool{}
	var out []string
	for _, p := range all {
		if strings.TrimSpace(p) == "" {
			continue
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		if info, err := os.Stat(p); err != nil || !info.IsDir() || seen[p] {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return out
}

// runTemplate returns the resource folders that a multi-app run template names;
// none when there is no such file.
func runTemplate(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil || len(data) > maxFile {
		return nil
	}
	type paths struct {
		Path  string   `yaml:"resourcesPath"`
		Paths []string `yaml:"resourcesPaths"`
	}
	var t struct {
		Common paths   `yaml:"common"`
		Apps   []paths `yaml:"apps"`
	}
	if yaml.Unmarshal(data, &t) != nil {
		return nil
	}
	var out []string
	for _, p := range append(t.Apps, t.Common) {
		for _, one := range append(p.Paths, p.Path) {
			if one != "" && !filepath.IsAbs(one) {
				one = filepath.Join(filepath.Dir(path), one)
			}
			out = append(out, one)
		}
	}
	return out
}
