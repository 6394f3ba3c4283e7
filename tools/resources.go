package tools

import (
	"context"
	"errors"
	"strings"
)

// Resource is a page of knowledge that a client can attach to a conversation.
type Resource struct {
	URI, Name, Title, Purpose string

	read func(context.Context, Deps) (string, error)
}

// Read is the page, as plain text.
func (r Resource) Read(ctx context.Context, d Deps) (string, error) { return r.read(ctx, d) }

// Template is a family of pages.
type Template struct {
	URI, Name, Title, Purpose string

	complete map[string]completion
	read     func(ctx context.Context, d Deps, variables map[string]string) (string, error)
}

// Read is one page of the family.
func (t Template) Read(ctx context.Context, d Deps, variables map[string]string) (string, error) {
	return t.read(ctx, d, variables)
}

// scheme begins every address.
const scheme = "idem://"

// anyApp stands in an address for "whichever app": a path has no empty part.
const anyApp = "-"

// pages are the lists of what idem_explain explains; one is also told in full.
var pages = [...]struct{ kind, title, purpose, format string }{
	{"rules", "The rules", "what a review of source code reports", "concise"},
	{"findings", "The findings", "what is found in histories, and what that means", "concise"},
	{"keys", "Key guide", "where an idempotency key may come from, in order of preference, and where it may not", "detailed"},
	{"providers", "The providers", "how each takes a key, and how long it remembers it", "concise"},
	{"terms", "The terms", "the words of the answers", "concise"},
}

// Resources are the lists, and every rule.
func Resources() ([]Resource, error) {
	var out []Resource
	for _, p := range pages {
		out = append(out, Resource{
			URI: scheme + p.kind, Name: p.kind, Title: p.title, Purpose: p.purpose,
			read: func(ctx context.Context, d Deps) (string, error) {
				return page(ctx, d, explain(), map[string]any{"topic": p.kind, "response_format": p.format})
			},
		})
	}
	all, err := topics()
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.kind == "rule" {
			out = append(out, Resource{URI: scheme + "rules/" + t.names[0], Name: t.names[0], Title: t.names[0] + " " + t.names[1], Purpose: t.title,
				read: func(ctx context.Context, d Deps) (string, error) { return topicPage(ctx, d, t.names[0]) }})
		}
	}
	return out, nil
}

// Templates are one page for each topic, and a run's history.
func Templates() []Template {
	var out []Template
	for _, p := range pages {
		kind := strings.TrimSuffix(p.kind, "s")
		out = append(out, Template{
			URI: scheme + p.kind + "/{name}", Name: kind, Title: "One " + kind, Purpose: "one of " + p.kind + " in full",
			complete: map[string]completion{"name": topicNames(kind)},
			read: func(ctx context.Context, d Deps, v map[string]string) (string, error) {
				return topicPage(ctx, d, v["name"])
			},
		})
	}
	return append(out, Template{
		URI: scheme + "runs/{app}/{+run}", Name: "run", Title: "A run's history", Purpose: "the recorded events of a run; app - means whichever has it",
		complete: map[string]completion{"app": completeApp, "run": completeRun},
		read: func(ctx context.Context, d Deps, v map[string]string) (string, error) {
			args := map[string]any{"run": v["run"], "limit": 1000}
			if app := v["app"]; app != "" && app != anyApp {
				args["app"] = app
			}
			return page(ctx, d, readHistory(), args)
		},
	})
}

func topicPage(ctx context.Context, d Deps, name string) (string, error) {
	return page(ctx, d, explain(), map[string]any{"topic": name, "response_format": "detailed"})
}

// topicNames completes the name of a topic of one kind.
func topicNames(kind string) completion {
	return func(_ context.Context, _ Deps, typed string, _ map[string]string) ([]string, bool) {
		all, err := topics()
		if err != nil {
			return nil, false
		}
		var names []string
		for _, t := range all {
			if t.kind == kind {
				names = append(names, t.names[0])
			}
		}
		return beginning(names, typed), false
	}
}

// page is the text of a capability's answer. A refusal says what to do, as
// everywhere.
func page(ctx context.Context, d Deps, c Capability, args map[string]any) (string, error) {
	r := c.Call(ctx, d, encoded(args))
	if r.Err != nil {
		return "", errors.New(r.Text)
	}
	return r.Text, nil
}
