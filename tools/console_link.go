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
		Purpose: "Gives the Catalyst console link of a run or an app, or says why no trustworthy link can be built. Nothing is fetched.",
		Example: `{"app":"orders","run":"order-42","project":"default"}`,
		Run:     runConsoleLink,
	})
}

type consoleLinkIn struct {
	App     string `json:"app" doc:"app id (its name)"`
	Run     string `json:"run" doc:"run id; without it the app's page"`
	Project string `json:"project" doc:"project name, or its numeric uid with or without prj-"`
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
	return out, nil
}

func (out *consoleLinkOut) render(t *text) {
	if out.URL == "" {
		t.line("%s", sentence(out.Summary))
		t.line("app %s, run %s", orNone(out.App), orNone(out.Run))
		return
	}
	t.line("%s", out.URL)
	if why := out.Links[0].Why; why != "" {
		t.line("%s", sentence(why))
	}
}
