package tools

import (
	"context"

	"github.com/idem-mcp/idem-mcp/history"
)

// duplicatesWithCode answers with what runs show and, where source is named, what
// the code does on a second run of each activity that they show repeated.
func duplicatesWithCode(ctx context.Context, d Deps, in findDuplicatesIn) (*findDuplicatesOut, error) {
	out, err := runFindDuplicates(ctx, d, in)
	if err != nil || len(in.WithCode) == 0 {
		return out, err
	}
	if out.Code, err = d.codeFor(ctx, in.WithCode, out.again.names, &out.Coverage); err != nil {
		return nil, err
	}
	out.NotVisible = append(out.NotVisible, sameCode)
	return out, nil
}

// repeatedNames collects the activities that findings call repeated. It keeps
// names, so its memory grows with the activities and not with the runs. The zero
// value is ready to use.
type repeatedNames struct {
	names []recordedName
	at    map[[2]string]int // app and activity
}

func (r *repeatedNames) add(run *history.Run, findings []history.Finding) {
	for i := range findings {
		f := &findings[i]
		if !f.Repeat {
			continue
		}
		if f.Activity != nil {
			r.name(f.App, *f.Activity, shown(run.Workflow))
		}
		for _, c := range f.Calls {
			r.name(f.App, c.Activity, shown(run.Workflow))
		}
	}
}

// children adds what the earlier children of a retried child ran, once another
// run has told.
func (r *repeatedNames) children(f *history.Finding) {
	for i := range f.Children {
		for _, c := range f.Children[i].Calls {
			r.name(f.App, c.Activity, f.Workflow)
		}
	}
}

// maxRepeated bounds how many activities and workflows of one are kept.
const maxRepeated = 1000

func (r *repeatedNames) name(app, activity, workflow string) {
	if r.at == nil {
		r.at = map[[2]string]int{}
	}
	k := [2]string{app, activity}
	i, ok := r.at[k]
	if !ok {
		if i = len(r.names); i == maxRepeated {
			return
		}
		r.at[k] = i
		r.names = append(r.names, recordedName{app: app, activity: activity})
	}
	n := &r.names[i]
	for _, w := range n.workflows {
		if w == workflow {
			return
		}
	}
	if len(n.workflows) < maxRepeated {
		n.workflows = append(n.workflows, workflow)
	}
}
