package catalyst

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// knownProject is the project with as much of name and uid as is known.
func (s *Source) knownProject() history.Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project
}

// projectArgument is what the server is asked for: the name when it is known,
// since that is what Catalyst calls the project's id, else the uid.
func (s *Source) projectArgument() string {
	p := s.knownProject()
	return cmp.Or(p.Name, p.UID)
}

// projectName is the project for a sentence.
func (s *Source) projectName() string { return clean.Line(s.projectArgument(), 80) }

// sameProject compares what both know. Two projects of which one is known by
// name and the other by uid are not taken for the same.
func sameProject(a, b history.Project) bool {
	return a.Name != "" && a.Name == b.Name || a.UID != "" && a.UID == b.UID
}

// Projects lists the projects the sign-in may read, name and uid apart.
func (s *Source) Projects(ctx context.Context) ([]history.Project, error) {
	a, err := s.session.call(ctx, "list projects", toolListProjects)
	if err != nil {
		return nil, err
	}
	s.level.note(a.doc)
	list, found := rows(a.doc, []string{"projects", "items", "results", "data"}, looksLikeProject)
	if !found {
		return nil, notRecognised("list projects", "no list of projects was found in it")
	}
	var out []history.Project
	for _, raw := range list {
		if p := readProject(raw); p != (history.Project{}) {
			out = append(out, p)
		}
	}
	return out, nil
}

func looksLikeProject(o object) bool { return readProjectObject(o) != history.Project{} }

func readProject(raw json.RawMessage) history.Project {
	o, ok := asObject(raw)
	if !ok {
		return history.Project{}
	}
	return readProjectObject(unwrapRow(o))
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// readProjectObject takes a uid only from what is a uid by its key or its form,
// and a name only from what is called one or is an id that is no uid.
func readProjectObject(o object) history.Project {
	var p history.Project
	for _, k := range []string{"uid", "projectuid", "id", "projectid"} {
		if uid, ok := projectUID(o.str(k)); ok && p.UID == "" {
			p.UID = uid
		}
	}
	for _, k := range []string{"name", "projectname", "id", "projectid"} {
		v := o.str(k)
		if _, isUID := projectUID(v); isUID && k != "name" && k != "projectname" {
			continue
		}
		if p.Name == "" && plainName.MatchString(v) {
			p.Name = v
		}
	}
	return p
}

// learnProject asks the server, once, for the half of the project that is not
// known. Not knowing it is no error: a link then goes without.
func (s *Source) learnProject(ctx context.Context) {
	s.mu.Lock()
	p, told := s.project, s.told
	s.told = true
	s.mu.Unlock()
	if told || p.Name != "" && p.UID != "" {
		return
	}
	list, err := s.Projects(ctx)
	if err != nil {
		return
	}
	for _, q := range list {
		if sameProject(p, q) {
			s.mu.Lock()
			s.project = history.Project{Name: cmp.Or(p.Name, q.Name), UID: cmp.Or(p.UID, q.UID)}
			s.mu.Unlock()
			return
		}
	}
}
