package tools

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// completion proposes values for what was typed so far of an argument; given
// holds the arguments that are settled.
type completion func(ctx context.Context, d Deps, typed string, given map[string]string) (values []string, more bool)

// mostValues is how many the protocol admits.
const mostValues = 100

// completePrompt completes an argument of a prompt.
func completePrompt(ctx context.Context, d Deps, prompt, argument, typed string, given map[string]string) ([]string, bool) {
	for _, p := range Prompts() {
		for _, a := range p.Arguments {
			if p.Name == prompt && a.Name == argument && a.complete != nil {
				return bounded(a.complete(ctx, d, typed, given))
			}
		}
	}
	return nil, false
}

// completeTemplate completes a variable of a resource template.
func completeTemplate(ctx context.Context, d Deps, uri, variable, typed string, given map[string]string) ([]string, bool) {
	for _, t := range Templates() {
		if t.URI == uri && t.complete[variable] != nil {
			return bounded(t.complete[variable](ctx, d, typed, given))
		}
	}
	return nil, false
}

func bounded(values []string, more bool) ([]string, bool) {
	if len(values) > mostValues {
		return values[:mostValues], true
	}
	return values, more
}

func completeApp(ctx context.Context, d Deps, typed string, _ map[string]string) ([]string, bool) {
	n := d.names(ctx)
	return beginning(n.apps, typed), n.cut
}

func completeWorkflow(ctx context.Context, d Deps, typed string, _ map[string]string) ([]string, bool) {
	n := d.names(ctx)
	return beginning(n.workflows, typed), n.cut
}

func completeRun(ctx context.Context, d Deps, typed string, given map[string]string) ([]string, bool) {
	n := d.names(ctx)
	app := given["app"]
	var ids []string
	for _, r := range n.runs {
		if app == "" || app == anyApp || app == r.App {
			ids = append(ids, r.Instance)
		}
	}
	slices.Sort(ids)
	return beginning(slices.Compact(ids), typed), n.cut
}

// beginning are the names that begin so, upper and lower case alike. A name with
// characters that a person cannot see is not proposed.
func beginning(names []string, typed string) []string {
	var out []string
	for _, n := range names {
		if n != "" && len(n) >= len(typed) && strings.EqualFold(n[:len(typed)], typed) && clean.Line(n, 0) == n {
			out = append(out, n)
		}
	}
	return out
}

// completePath lists files and folders of source under the allowed roots.
func completePath(_ context.Context, d Deps, typed string, _ map[string]string) ([]string, bool) {
	dir, part := path.Split(filepath.ToSlash(typed))
	var out []string
	for _, r := range d.Code.Roots {
		rel := dir
		if path.IsAbs(dir) {
			inside, err := filepath.Rel(r, dir)
			if err != nil {
				continue
			}
			rel = filepath.ToSlash(inside)
		}
		root, err := os.OpenRoot(r) // neither ".." nor a link leaves it
		if err != nil {
			continue
		}
		entries, err := fs.ReadDir(root.FS(), path.Clean("./"+rel))
		_ = root.Close() // opened for reading
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if strings.HasPrefix(name, ".") || !strings.HasPrefix(name, part) || clean.Line(name, 0) != name {
				continue
			}
			if e.IsDir() {
				name += "/"
			}
			out = append(out, dir+name)
		}
	}
	return out, false
}
