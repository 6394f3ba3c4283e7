package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
)

// What a look at the names of a source may cost. It answers a key press or
// explains an empty list, so it is never worth a whole listing.
const (
	namesRead = 1000
	namesTime = 2 * time.Second
	namesKept = 30 * time.Second
)

// names are those of the runs that a short listing gave, as the source spells
// them.
type names struct {
	apps, workflows []string // sorted
	runs            []history.Ref
	newest          time.Time
	cut             bool // the source holds more, or could not be read to the end
	problem         error
}

// nameCache keeps the names between key presses. Its zero value is empty and
// ready; it is safe for concurrent use.
type nameCache struct {
	mu   sync.Mutex
	read time.Time
	names
}

// names lists some names of the source. A source that cannot be read has none.
func (d Deps) names(ctx context.Context) names {
	if d.cache == nil {
		return d.readNames(ctx)
	}
	d.cache.mu.Lock()
	defer d.cache.mu.Unlock()
	if now := d.Now(); d.cache.read.IsZero() || now.Sub(d.cache.read) > namesKept {
		n := d.readNames(ctx)
		if ctx.Err() != nil || n.problem != nil {
			return n // half a list is not kept
		}
		d.cache.names, d.cache.read = n, now
	}
	return d.cache.names
}

func (d Deps) readNames(ctx context.Context) names {
	ctx, cancel := context.WithTimeout(ctx, namesTime)
	defer cancel()
	var n names
	apps, workflows := map[string]bool{}, map[string]bool{}
	passed := 0
	for h, err := range d.Source.Runs(ctx, history.Filter{}) {
		if len(n.runs)+passed == namesRead {
			n.cut = true
			break
		}
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			passed++
			continue
		}
		if err != nil {
			n.cut = true
			if ctx.Err() == nil {
				n.problem = err
			}
			break
		}
		n.runs = append(n.runs, h.Ref)
		if a := h.Ref.App; a != "" && !apps[a] {
			apps[a], n.apps = true, append(n.apps, a)
		}
		if w := h.Workflow; w != "" && !workflows[w] {
			workflows[w], n.workflows = true, append(n.workflows, w)
		}
		if h.Created.After(n.newest) {
			n.newest = h.Created
		}
	}
	slices.Sort(n.apps)
	slices.Sort(n.workflows)
	return n
}

// whyNothing says why no run matched, and what to try.
func (d Deps) whyNothing(ctx context.Context, s Select, app string) []string {
	n := d.names(ctx)
	status, paste := "idem_status", "can be pasted as history"
	if d.Shell {
		status, paste = "idem-mcp status", "can be named as a file, or piped in as -"
	}
	switch {
	case n.problem != nil:
		return []string{"The names there could not be looked at, so nothing is known about them: " + clean.Line(n.problem.Error(), 300)}
	case len(n.runs) == 0 && n.cut:
		return []string{"The source was too slow to list its names here; " + status + " says which source is read."}
	case len(n.runs) == 0:
		return []string{
			"The source holds no run, or this account and project see none: " + status + " says which source is read, why this one, and as whom.",
			"Runs that were purged are gone; a run in hand (the answer of catalyst_get_workflow_run, an export) " + paste + ".",
		}
	}
	var out []string
	if app != "" && !slices.Contains(n.apps, app) {
		out = append(out, n.missing("app", app, n.apps))
	}
	if s.Workflow != "" && !slices.Contains(n.workflows, s.Workflow) {
		out = append(out, n.missing("workflow", s.Workflow, n.workflows))
	}
	if s.Since != "" && !n.newest.IsZero() {
		out = append(out, "The newest run seen was created at "+stamp(n.newest)+"; since "+clean.Line(s.Since, 40)+" may begin after it.")
	}
	if len(s.Status) > 0 {
		out = append(out, "No run has status "+strings.Join(s.Status, " or ")+" together with the other filters: try it without status.")
	}
	if s.Text != "" {
		out = append(out, "text is a part of a run id or a workflow name, not of payloads or errors.")
	}
	return append(out, "Filters hold together: leave one out, or all, to see what is there.")
}

// missing says that a name is not among those seen, and which are.
func (n names) missing(what, name string, known []string) string {
	seen := "none is recorded there"
	if len(known) > 0 {
		some := make([]string, 0, 8)
		for _, k := range known[:min(len(known), 8)] {
			some = append(some, clean.Line(k, 60))
		}
		seen = "there are " + strings.Join(some, ", ")
		if rest := len(known) - len(some); rest > 0 {
			seen += fmt.Sprintf(" and %d more", rest)
		}
	}
	out := fmt.Sprintf("No %s is called %q (upper and lower case count) in the %s looked at; %s.", what, clean.Line(name, 60), count(len(n.runs), "run"), seen)
	if near := nearest.Of(name, known); near != "" {
		out += fmt.Sprintf(" Did you mean %q?", clean.Line(near, 60))
	}
	return out
}
