package tools

import (
	"context"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// idem_status answers: what am I connected to, as whom, and what can be seen
// there? It cannot say what a source holds; listing does.

func status() Capability {
	return define(definition[statusIn, *statusOut]{
		Name: "idem_status", Command: "status", Title: "What is connected", Paths: true,
		Purpose: "Says which source of runs is used and why, as whom, which project, data-sharing level, what can be seen. Use it first or when an answer is empty; not to list runs.",
		Example: `{}`,
		Run:     runStatus,
	})
}

type statusIn struct {
	Page
}

type statusOut struct {
	Answer
	Version string     `json:"version"`
	Source  sourceInfo `json:"source"`
	Sharing sharing    `json:"data_sharing"`
	Console console    `json:"console"`
	Details []detail   `json:"details"`
}

type sourceInfo struct {
	Name    string   `json:"name"`
	Where   string   `json:"where"`
	Chosen  string   `json:"chosen" jsonschema:"why this source is used"`
	Account string   `json:"account,omitempty"`
	Project string   `json:"project,omitempty"`
	UID     string   `json:"project_uid,omitempty"`
	Carries []string `json:"carries" jsonschema:"the marks of a repeat that its runs can carry at best"`
	Lacks   []string `json:"lacks"`
	Problem string   `json:"problem,omitempty"`
}

type sharing struct {
	Level string `json:"level,omitempty" jsonschema:"absent when nobody stated one"`
	How   string `json:"how_known"`
}

type console struct {
	Base string `json:"base,omitempty"`
	Why  string `json:"why"`
}

type detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func runStatus(ctx context.Context, d Deps, _ statusIn) (*statusOut, error) {
	s := d.Source.Describe(ctx)
	out := &statusOut{
		Version: d.Version,
		Source:  sourceInfo{Name: s.Name, Where: clean.Line(s.Where, 300), Chosen: d.Chosen, Account: shown(s.Account), Project: shown(s.Project.Name), UID: shown(s.Project.UID)},
		Sharing: sharing{Level: s.Sharing.Level.String(), How: s.Sharing.How},
		Console: console{Base: d.Console.Base, Why: d.Console.Why},
		Details: []detail{},
	}
	if s.Sharing.Level == history.LevelUnstated {
		out.Sharing.How = s.Sharing.String()
	}
	out.Source.Carries, out.Source.Lacks = marks(s.Carries)
	for _, x := range s.Details {
		out.Details = append(out.Details, detail{shown(x.Name), clean.Line(x.Value, 300)})
	}
	out.Details = append(out.Details, githubDetails(ctx, d)...)
	if !parse.BuiltIn {
		out.Details = append(out.Details, detail{"code review", parse.ErrNotBuiltIn.Error()})
	}
	out.NotVisible = s.NotVisible
	out.Summary = "runs are read from " + s.Name + " (" + out.Source.Where + "), " + d.Chosen
	out.Next = []Next{{Tool: "idem_find_duplicates", Arguments: map[string]string{}, Why: "which activity calls were executed more than once"}}
	if d.Shell && s.Name == "file" {
		out.Next[0].path = s.Where
	}
	if s.Problem != nil {
		r := failed(d, Capability{}, s.Problem)
		out.Source.Problem = r.Text
		out.Coverage.State = "none"
		out.Summary = "runs would be read from " + s.Name + " (" + out.Source.Where + "), but it cannot be read now"
		out.Hints = []string{"The source is there only when that is put right; without it a pasted history and source code can still be asked about."}
		out.Next = []Next{{Tool: "idem_find_duplicates", Arguments: map[string]string{"history": "<the answer of catalyst_get_workflow_run>"}, Why: "a run in hand needs no source"}}
	}
	return out, nil
}

// githubDetails is what is known of GitHub, where a token or a server of one's own is
// configured. It is no source of runs, so a problem there is told and no more.
func githubDetails(ctx context.Context, d Deps) []detail {
	if d.GitHub == nil || !d.GitHub.Configured() {
		return nil
	}
	s := d.GitHub.Status(ctx)
	out := []detail{{"github", s.API + "; token: " + s.Token}}
	if s.Problem != nil {
		return append(out, detail{"github token", clean.Line(s.Problem.Error(), 400)})
	}
	if s.Can != "" {
		out = append(out, detail{"github token", s.Can})
	}
	if s.Requests != "" {
		out = append(out, detail{"github limit", s.Requests})
	}
	return out
}

// marks names what a shape of run carries and what it lacks.
func marks(c history.Carries) (has, lacks []string) {
	has, lacks = []string{}, []string{}
	for _, m := range [...]struct {
		ok   bool
		name string
	}{
		{c.StoredOrder, "stored order"}, {c.FullTimes, "full times"}, {c.IDs, "task execution ids"},
		{c.Origins, "timer origins"}, {c.Inputs, "payloads"}, {c.Generation, "generation"},
	} {
		if m.ok {
			has = append(has, m.name)
		} else {
			lacks = append(lacks, m.name)
		}
	}
	return has, lacks
}

func (out *statusOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	if out.Source.Problem != "" {
		t.line("\n%s", out.Source.Problem)
	}
	rows := [][]string{
		{"account", out.Source.Account}, {"project", strings.TrimSpace(out.Source.Project + " " + out.Source.UID)},
		{"data sharing", strings.TrimPrefix(strings.TrimSuffix(out.Sharing.Level+" ("+out.Sharing.How+")", " ()"), " ")},
		{"can show", strings.Join(out.Source.Carries, ", ")}, {"lacks", strings.Join(out.Source.Lacks, ", ")},
		{"console", strings.TrimSpace(out.Console.Base + " (" + out.Console.Why + ")")}, {"version", out.Version},
	}
	for _, x := range out.Details {
		rows = append(rows, []string{x.Name, x.Value})
	}
	t.line("")
	for _, r := range rows {
		if r[1] != "" {
			t.line("%-13s %s", r[0], r[1])
		}
	}
	t.closing(&out.Answer)
}
