package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// lines is a history of one finished activity, as a run named id records it.
func lines(id string) string {
	return `{"eventId":-1,"timestamp":"2026-11-29T14:00:00.1Z","workflowStarted":{}}
{"eventId":-1,"timestamp":"2026-11-29T14:00:00.0Z","executionStarted":{"name":"OrderWorkflow","input":"{\"n\":1}","workflowInstance":{"instanceId":"` + id + `","executionId":"e-` + id + `"}},"router":{"sourceAppID":"orders"}}
{"timestamp":"2026-11-29T14:00:00.2Z","taskScheduled":{"name":"ChargeCard","input":"1","taskExecutionId":"t1"},"router":{"sourceAppID":"orders"}}
{"eventId":-1,"timestamp":"2026-11-29T14:00:00.4Z","workflowStarted":{}}
{"eventId":-1,"timestamp":"2026-11-29T14:00:00.3Z","taskCompleted":{"result":"2","taskExecutionId":"t1"}}
`
}

func metadata(id string) string {
	return `{"instanceId":"` + id + `","name":"OrderWorkflow","runtimeStatus":"RUNNING","createdAt":"2026-11-29T14:00:00Z","storeMetadataRow":{"historyLength":5,"generation":3}}`
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, paths ...string) *file.Source {
	t.Helper()
	s, err := file.New(file.Config{Paths: paths, Options: history.Options{Sharing: history.Sharing{Level: history.LevelMetadata, How: "the default of every source"}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listed is what a listing says, locations relative to dir.
func listed(t *testing.T, s *file.Source, dir string, f history.Filter) (runs, skipped []string) {
	t.Helper()
	for h, err := range s.Runs(t.Context(), f) {
		var sk *history.Skipped
		switch {
		case errors.As(err, &sk):
			mark := ""
			if !sk.NoRun {
				mark = "!"
			}
			skipped = append(skipped, mark+strings.TrimPrefix(sk.What, filepath.ToSlash(dir)+"/")+": "+sk.Why)
		case err != nil:
			t.Fatal(err)
		default:
			runs = append(runs, h.Ref.Instance+" at "+strings.TrimPrefix(h.Ref.Location, filepath.ToSlash(dir)+"/"))
		}
	}
	return runs, skipped
}

func TestDirectory(t *testing.T) {
	dir := write(t, map[string]string{
		"a/history.ndjson":       lines("from-events"),
		"a/metadata.json":        metadata("order:1"),
		"a/truth.json":           `{"calls":[{"activity":"ChargeCard"}]}`,
		"b/history.ndjson":       lines("order-2"),
		"c/one.json":             lines("order-3"),
		"c/two.json":             lines("order-4"),
		"c/metadata.json":        metadata("order-5"),
		"d/metadata.json":        metadata("order-6"),
		"e/broken.json":          `{"history":[{"eventId":1`,
		"index.csv":              "run,instance\n",
		"ledger.jsonl":           `{"ts":1,"body":"start"}` + "\n",
		"empty.json":             "",
		".git/history.ndjson":    lines("hidden"),
		"f/g/h/i/history.ndjson": lines("deep"),
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "passwd")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "b"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	runs, skipped := listed(t, s, dir, history.Filter{})
	want := []string{"order:1 at a/history.ndjson", " at b/history.ndjson", " at c/one.json", " at c/two.json", " at f/g/h/i/history.ndjson"}
	if !slices.Equal(runs, want) {
		t.Errorf("runs = %q\nwant %q", runs, want)
	}
	for _, part := range []string{"a/truth.json: ", "index.csv: ", "ledger.jsonl: ", "empty.json: ", ".git: hidden", "passwd: a symbolic link", "link: a symbolic link", "!d/metadata.json: it describes a run", "!e/broken.json: "} {
		if !slices.ContainsFunc(skipped, func(s string) bool { return strings.HasPrefix(s, part) }) {
			t.Errorf("nothing skipped begins with %q; skipped:\n%s", part, strings.Join(skipped, "\n"))
		}
	}
	if len(skipped) != 9 {
		t.Errorf("%d skipped, want 9:\n%s", len(skipped), strings.Join(skipped, "\n"))
	}
	t.Run("cursor", func(t *testing.T) {
		for i, h := range slices.Collect(headers(t, s)) {
			rest, _ := listed(t, s, dir, history.Filter{Cursor: h.Ref.Cursor()})
			if !slices.Equal(rest, want[i+1:]) {
				t.Errorf("after %s: %q, want %q", h.Ref.Instance, rest, want[i+1:])
			}
		}
	})
	t.Run("metadata", func(t *testing.T) {
		run, err := s.Run(t.Context(), history.Ref{Instance: "order:1"})
		if err != nil {
			t.Fatal(err)
		}
		if run.Status != history.Running || run.Generation != 3 || !run.Carries.Generation {
			t.Errorf("status %v, generation %d", run.Status, run.Generation)
		}
		run, err = s.Run(t.Context(), history.Ref{Instance: "order-3"})
		if err != nil {
			t.Fatal(err)
		}
		if run.Generation != 0 || len(run.Coverage.Missing) == 0 {
			t.Errorf("metadata beside two histories was used: %+v", run.Coverage)
		}
	})
	t.Run("named file", func(t *testing.T) {
		run, err := open(t, filepath.Join(dir, "a/history.ndjson")).Run(t.Context(), history.Ref{Instance: "order:1"})
		if err != nil || run.Generation != 3 {
			t.Errorf("%v, %v", run, err)
		}
		runs, _ := listed(t, open(t, filepath.Join(dir, "c/one.json")), dir, history.Filter{})
		if !slices.Equal(runs, []string{" at c/one.json"}) {
			t.Errorf("%q", runs)
		}
		_, skipped := listed(t, open(t, filepath.Join(dir, "a/truth.json")), dir, history.Filter{})
		if len(skipped) != 1 || !strings.HasPrefix(skipped[0], "!a/truth.json") || !strings.Contains(skipped[0], "known shapes") {
			t.Errorf("a named file that is no run: %q", skipped)
		}
	})
}

func headers(t *testing.T, s *file.Source) func(func(history.Header) bool) {
	return func(yield func(history.Header) bool) {
		for h, err := range s.Runs(t.Context(), history.Filter{}) {
			if err == nil && !yield(h) {
				return
			}
		}
	}
}

func TestRun(t *testing.T) {
	dir := write(t, map[string]string{
		"x/history.ndjson":       lines("order-1"),
		"x.first/history.ndjson": lines("order-1"),
		"y/history.ndjson":       lines("order-\u202e2"),
	})
	s := open(t, dir)
	for name, c := range map[string]struct {
		ref  history.Ref
		kind fault.Kind
		part string
	}{
		"two places":             {history.Ref{Instance: "order-1"}, fault.BadInput, "stands in 2 places"},
		"absent":                 {history.Ref{Instance: "order-9"}, fault.NotFound, "not among the runs here"},
		"another app":            {history.Ref{Instance: "order-1", App: "billing"}, fault.NotFound, "not among the runs here"},
		"outside the directory":  {history.Ref{Location: "/etc/passwd"}, fault.NotFound, ""},
		"dots":                   {history.Ref{Instance: "../../etc/passwd"}, fault.NotFound, ""},
		"by place":               {history.Ref{Instance: "x.first"}, 0, ""},
		"by location":            {history.Ref{Location: filepath.ToSlash(dir) + "/x/history.ndjson"}, 0, ""},
		"by location as its id":  {history.Ref{Instance: filepath.ToSlash(dir) + "/x/history.ndjson"}, 0, ""},
		"by execution":           {history.Ref{Instance: "order-1", Execution: "nope"}, fault.NotFound, ""},
		"an id as it was shown":  {history.Ref{Instance: "order-2"}, 0, ""},
		"an id as it is in fact": {history.Ref{Instance: "order-\u202e2"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := s.Run(t.Context(), c.ref)
			if c.kind == 0 {
				if err != nil || run == nil {
					t.Fatal(err)
				}
				return
			}
			if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.part) {
				t.Errorf("error %v, want kind %v holding %q", err, c.kind, c.part)
			}
		})
	}
}

func TestStdin(t *testing.T) {
	s, err := file.New(file.Config{Paths: []string{file.Stdin}, Stdin: strings.NewReader(lines("order-1"))})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // standard input can be read once, a source many times
		if run, err := s.Run(t.Context(), history.Ref{Instance: "order-1"}); err != nil || len(run.Events) != 5 {
			t.Errorf("%v, %v", run, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := write(t, map[string]string{"history.ndjson": lines("a")})
	if _, err := file.New(file.Config{Paths: []string{filepath.Join(dir, "nothing")}}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing path: %v", err)
	}
	if _, err := file.New(file.Config{}); fault.KindOf(err) != fault.Config {
		t.Errorf("no path: %v", err)
	}
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 2<<30); err != nil {
		t.Fatal(err)
	}
	_, skipped := listed(t, open(t, dir), dir, history.Filter{})
	if len(skipped) != 1 || !strings.HasPrefix(skipped[0], fmt.Sprintf("!big.json: the file has more than %d MB", history.MaxBytes>>20)) {
		t.Errorf("a 2 GB file: %q", skipped)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range open(t, dir).Runs(ctx, history.Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after cancellation: %v", err)
		}
	}
	var last error
	for _, err := range open(t, dir).Runs(t.Context(), history.Filter{Cursor: "gone"}) {
		last = err
	}
	if fault.KindOf(last) != fault.BadInput {
		t.Errorf("a cursor of nothing: %v", last)
	}
	deep := filepath.Join(append([]string{t.TempDir()}, slices.Repeat([]string{"d"}, 40)...)...)
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	top := strings.TrimSuffix(deep, strings.Repeat("/d", 40))
	if _, skipped := listed(t, open(t, top), top, history.Filter{}); len(skipped) != 1 || !strings.HasSuffix(skipped[0], "nested too deep") {
		t.Errorf("40 levels: %q", skipped)
	}
}

func TestWithheld(t *testing.T) {
	dir := write(t, map[string]string{"history.ndjson": lines("a")})
	run, err := open(t, dir).Run(t.Context(), history.Ref{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Events {
		if _, ok := e.Payload.Value(); ok {
			t.Errorf("a payload of %v was shared at level metadata", e.Kind)
		}
	}
}
