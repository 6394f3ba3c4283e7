package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/github/githubtest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/links"
	"github.com/idem-mcp/idem-mcp/survey"
	"github.com/idem-mcp/idem-mcp/tools"
)

// root is the repository; tests that read the examples run there, so that
// locations in answers are the same on every machine.
const root = ".."

func byName(t testing.TB, name string) tools.Capability {
	t.Helper()
	for _, c := range tools.All() {
		if c.Name == name || c.Name == "idem_"+name {
			return c
		}
	}
	t.Fatalf("there is no capability %q", name)
	return tools.Capability{}
}

// deps are those of an assistant's server over paths, at level metadata.
func deps(t testing.TB, paths ...string) tools.Deps {
	t.Helper()
	o := history.Options{Sharing: history.Sharing{Level: history.LevelMetadata, How: "the default of every source"}}
	src, err := file.New(file.Config{Paths: paths, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	return tools.Deps{
		Source: src, Chosen: "as configured", Reading: o, Version: "test", Project: links.Project{Name: "default"},
		Console: links.FindConsole("https://mcp.cloud.r1.diagrid.io/mcp", ""),
		Now:     func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) },
	}
}

// TestGolden runs every testdata/<capability>/*.txtar: call.json holds the
// arguments, paths the source, shell (if there) that a person asks; text and
// answer.json are what comes back, error.json and text for a refusal. A file
// named history.json is passed inline, those under src/ are source to review. Files
// under base/ and head/ are those of pull request shop/orders#7 in a stand-in for
// GitHub; renamed holds "new old" paths, fork the repository it comes from, github the
// token it asks for. With a file named surveyed a survey of the source was made before.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for _, f := range files {
		path := filepath.Join(dir, f)
		t.Run(strings.TrimSuffix(strings.TrimPrefix(f, "testdata/"), ".txtar"), func(t *testing.T) { goldenCase(t, path) })
	}
}

// sourceTree writes the case's files under src/ to a folder of their own.
func sourceTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		rel, ok := strings.CutPrefix(name, "src/")
		if !ok {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pullRequest is a client of a stand-in that holds the case's pull request.
func pullRequest(t *testing.T, files map[string]string) *github.Client {
	t.Helper()
	hub := githubtest.New()
	hub.Token = strings.TrimSpace(files["github"])
	side := func(folder string) string {
		out := map[string]string{}
		for name, text := range files {
			if p, ok := strings.CutPrefix(name, folder); ok {
				out[p] = text
			}
		}
		return hub.Commit(out)
	}
	p := githubtest.Pull{Repo: "shop/orders", Number: 7, Base: side("base/"), Head: side("head/"), HeadRepo: strings.TrimSpace(files["fork"]), Renamed: map[string]string{}}
	for line := range strings.Lines(files["renamed"]) {
		is, was, _ := strings.Cut(strings.TrimSpace(line), " ")
		p.Renamed[is] = was
	}
	hub.Pull(p)
	c, err := github.New(github.Config{URL: githubtest.Web, Token: hub.Token, TokenFrom: "IDEM_MCP_GITHUB_TOKEN", Transport: hub.Transport(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func goldenCase(t *testing.T, path string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{}
	for _, f := range ar.Files {
		in[f.Name] = string(f.Data)
	}
	d, args := prepare(t, path, in)
	judge(t, path, ar, in, d, args)
}

// prepare makes what a case's call is made with.
func prepare(t *testing.T, path string, in map[string]string) (tools.Deps, json.RawMessage) {
	t.Helper()
	paths := strings.Fields(in["paths"])
	if len(paths) == 0 {
		paths = []string{"examples/runs"}
	}
	d := deps(t, paths...)
	d.Code.Roots = []string{sourceTree(t, in)}
	if _, ok := in["github"]; ok || strings.Contains(path, "review_pull_request") {
		d.GitHub = pullRequest(t, in)
	}
	_, d.Shell = in["shell"]
	d.Survey = survey.New(survey.Config{Dir: t.TempDir(), Source: d.Source, Now: d.Now})
	t.Cleanup(func() { _ = d.Survey.Close(context.WithoutCancel(t.Context())) }) // the folder is dropped
	if _, ok := in["surveyed"]; ok {
		s, _, err := d.Survey.Start(t.Context(), survey.Scope{})
		if err == nil {
			_, err = d.Survey.Wait(t.Context(), s.ID, func(survey.Survey) {})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	args := json.RawMessage(in["call.json"])
	if h, ok := in["history.json"]; ok {
		var m map[string]any
		if err := json.Unmarshal(args, &m); err != nil {
			t.Fatal(err)
		}
		m["history"] = h
		args = arguments(t, m)
	}
	return d, args
}

// judge compares what comes back with the case, or writes it there.
func judge(t *testing.T, path string, ar *txtar.Archive, in map[string]string, d tools.Deps, args json.RawMessage) {
	t.Helper()
	c := byName(t, filepath.Base(filepath.Dir(path)))
	r := c.Call(t.Context(), d, args)
	var body bytes.Buffer
	if err := json.Indent(&body, r.JSON, "", " "); err != nil {
		t.Fatal(err)
	}
	body.WriteByte('\n')
	got := map[string]string{"text": r.Text, "answer.json": body.String()}
	if !strings.HasSuffix(r.Text, "\n") {
		got["text"] += "\n"
	}
	if r.Err != nil {
		got = map[string]string{"text": got["text"], "error.json": body.String()}
	}
	if *golden.Update {
		var files []txtar.File
		for _, f := range ar.Files {
			switch f.Name {
			case "text", "answer.json", "error.json":
			default:
				files = append(files, f)
			}
		}
		for _, name := range []string{"text", "answer.json", "error.json"} {
			if s, ok := got[name]; ok {
				files = append(files, txtar.File{Name: name, Data: []byte(s)})
			}
		}
		ar.Files = files
		if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range []string{"text", "answer.json", "error.json"} {
		if diff := cmp.Diff(in[name], got[name]); diff != "" {
			t.Errorf("%s differs (-want +got); run with -update if that is meant:\n%s", name, diff)
		}
	}
}

// archive is a txtar file by name.
func archive(t testing.TB, path string) map[string]string {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{}
	for _, f := range ar.Files {
		in[f.Name] = string(f.Data)
	}
	return in
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
