package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// EvaluateReview measures the reviewer on a folder of labelled activities, such
// as review/testdata/corpus. It is for those who change rules, so it is a flag
// of the command and no tool.
func EvaluateReview(ctx context.Context, d Deps, folder string) Result {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return failed(d, Capability{}, &fault.Error{Kind: fault.NotFound, What: "open " + clean.Line(folder, 200), Cause: err, Do: "Give the folder of labelled activities: review/testdata/corpus"})
	}
	defer root.Close()
	ev, err := review.Evaluate(ctx, review.Config{Files: root.FS(), Languages: lang.All(), Rules: rules.All(), Effects: d.Code.Effects})
	if err != nil {
		return failed(d, Capability{}, err)
	}
	body, err := json.Marshal(ev)
	if err != nil {
		return failed(d, Capability{}, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d labelled activities\n\n%s\n%s\n", ev.Activities, ev.Overall, ev.Tricky)
	figures := func(title string, list []review.Figures) {
		fmt.Fprintf(&b, "\n%s\n", title)
		for _, f := range list {
			fmt.Fprintln(&b, f)
		}
	}
	figures("by language", ev.Languages)
	figures("by kind of finding", ev.Rules)
	for _, m := range ev.Misses {
		fmt.Fprintf(&b, "miss: %s:%d %s is %s, labelled %s; missing %v, noise %v\n", m.File, m.Line, m.Activity, m.Verdict, m.Label, m.Missing, m.Noise)
	}
	return Result{Text: b.String(), JSON: body}
}
