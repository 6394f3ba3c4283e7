package tools

import (
	"context"

	"github.com/idem-mcp/idem-mcp/links"
)

// idem_console_link answers: where in the Catalyst console is this run? It
// fetches nothing, so it cannot say whether the run still exists there.

func consoleLink() Capability {
	return define(definition[consoleLinkIn, *consoleLinkOut]{
		Name: "idem_console_link", Command: "link", Title: "Console link of a run",
		Purpose: "Gives the Catalyst console link of a run or app, or says why there is no trustworthy one. Use it instead of building a link; not to check that a run exists, nothing is fetched.",
		Example: `{"app":"orders","run":"order-42","project":"default"}`,
		Run:     runConsoleLink,
	})
}

type consoleLinkIn struct {
	App     string `json:"app" doc:"app id (its name)" brief:"id (its name)"`
	Run     string `json:"run" doc:"run id; without it the app's page" brief:"id; none: the app's page"`
	Project string `json:"project" doc:"project name, or its numeric uid with or without prj-" brief:"name, or uid (prj-…)"`
	Page
}

type consoleLinkOut struct {
	Answer
	URL string `json:"url,omitempty"`
	App string `json:"app"`
	Run string `json:"run,omitempty"`
}

func runConsoleLink(_ context.Context, d Deps, in consoleLinkIn) (*consoleLinkOut, error) {
	p := d.Project
	if in.Project != "" {
		p = links.ParseProject(in.Project)
	}
	url, why := links.App(d.Console, p, in.App)
	if in.Run != "" {
		url, why = links.Run(d.Console, p, in.App, in.Run)
	}
	out := &consoleLinkOut{URL: url, App: shown(in.App), Run: shown(in.Run)}
	out.Links = []Link{{App: out.App, Run: out.Run, URL: url, Why: why}}
	out.NotVisible = []string{"Nothing was fetched: whether the page exists, and whether you may open it, shows only there."}
	switch {
	case url == "":
		out.Summary = "no link: " + why
	case why != "":
		out.Summary = "one link, with a caveat: " + why
	default:
		out.Summary = "one link, for the console that belongs to the configured Catalyst server"
		if d.Console.Why == "as configured" {
			out.Summary = "one link, for the configured console"
		}
	}
	out.Next = []Next{{Tool: "idem_status", Arguments: map[string]string{}, Why: "which project and console are configured"}}
	switch {
	case in.Run != "":
		out.Next[0] = Next{Tool: "idem_find_duplicates", Arguments: map[string]string{"run": out.Run}, Why: "what its history says, without the console"}
	case in.App != "":
		out.Next[0] = Next{Tool: "idem_list_runs", Arguments: map[string]string{"app": out.App}, Why: "its runs, as far as the source has them"}
	}
	return out, nil
}

// A person's terminal gets the link alone, so that a script can open it.
func (out *consoleLinkOut) render(t *text) {
	switch {
	case !t.shell:
		t.line("%s", sentence(out.Summary))
		if out.URL == "" {
			t.line("app %s, run %s", orNone(out.App), orNone(out.Run))
		}
		t.closing(&out.Answer)
	case out.URL == "":
		t.line("%s", sentence(out.Summary))
		t.line("app %s, run %s", orNone(out.App), orNone(out.Run))
	default:
		t.line("%s", out.URL)
		if why := out.Links[0].Why; why != "" {
			t.line("%s", sentence(why))
		}
	}
}
