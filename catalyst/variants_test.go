package catalyst_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// skeleton is what must not depend on how the server words its answers.
type skeleton struct {
	Kind                    history.Kind
	ID, Ref                 int32
	Name, Execution, Origin string
	Instance, Parent, Rerun string
	Failure                 string
	Payload                 history.PayloadState
	At, FireAt              int64
	App, OriginRef          string
}

func skeletonOf(r *history.Run) []skeleton {
	var out []skeleton
	for _, e := range r.Events {
		s := skeleton{
			Kind: e.Kind, ID: e.ID, Ref: e.TaskScheduledID, Name: e.Name, Execution: e.TaskExecutionID,
			Origin: e.Origin.Kind.String(), OriginRef: e.Origin.Ref,
			Instance: e.Instance, Rerun: e.RerunOf, Payload: e.Payload.State(),
			At: e.At.UnixNano(), App: e.App,
		}
		if !e.FireAt.IsZero() {
			s.FireAt = e.FireAt.UnixNano()
		}
		if e.Failure != nil {
			s.Failure = e.Failure.Message
		}
		if e.Parent != nil {
			s.Parent = e.Parent.Instance
		}
		out = append(out, s)
	}
	return out
}

var schemaVariants = map[string]catalysttest.Schema{
	"likeliest":      {},
	"other casing":   {ProjectArg: "ProjectId", RunArg: "instanceId", IDKey: "instanceID", StatusKey: "status"},
	"snake":          {ProjectArg: "project_id", RunArg: "run_id", AppArg: "app_id", SizeArg: "page_size", CursorArg: "page_token"},
	"app needed":     {AppArg: "appIdentity", AppNeeded: true, Events: "history", Type: "event_type"},
	"prefixed":       {Prefix: "mcp__diagrid__", Events: "timeline", Type: "eventType", TypeCase: "pascal"},
	"oneof":          {Type: "oneof", Wrap: "data"},
	"composed":       {Wrap: "composed", Type: "kind", TypeCase: "upper", Events: "workflowHistory"},
	"object payload": {Objects: true, Wrap: "data", SizeArg: "limit"},
}

// TestVariants reads every run from every kind of server: the events are the
// same, and at metadata no payload of any run appears anywhere.
func TestVariants(t *testing.T) {
	want := map[string][]skeleton{}
	original := map[string][]string{}
	for _, full := range []bool{false, true} {
		for _, name := range slices.Sorted(keys(schemaVariants)) {
			for _, content := range []string{"text", "structured", "both", "sentence"} {
				schema := schemaVariants[name]
				schema.Content = content
				t.Run(fmt.Sprintf("full=%t/%s/%s", full, name, content), func(t *testing.T) {
					s := start(t, catalysttest.Options{Full: full, Schema: schema, EmptyPages: content == "both"})
					c := config(t, s)
					c.PageSize = 5
					token := s.IssueToken()
					c.Getenv = func(string) string { return token }
					src := source(t, c)
					var emitted strings.Builder
					fmt.Fprintf(&emitted, "%+v", src.Describe(t.Context()))
					hs, _, err := list(t.Context(), src, history.Filter{})
					if err != nil || len(hs) != len(s.RunIDs()) {
						t.Fatalf("listed %d of %d: %v", len(hs), len(s.RunIDs()), err)
					}
					for _, h := range hs {
						// By id alone: the app must be found where it is needed.
						run, err := src.Run(t.Context(), history.Ref{Instance: h.Ref.Instance})
						if err != nil {
							t.Fatalf("%s: %v", h.Ref.Instance, err)
						}
						emit(t, &emitted, h, run)
						checkHeaders(t, h, run)
						checkSharing(t, run, full)
						if _, ok := original[h.Ref.Instance]; !ok {
							original[h.Ref.Instance] = originalFindings(t, h.Ref)
						}
						if d := cmp.Diff(original[h.Ref.Instance], findings(t, run)); d != "" {
							t.Errorf("findings of %s (-of the stored history +of the answer):\n%s", h.Ref.Instance, d)
						}
						key := fmt.Sprint(full, h.Ref.Instance)
						got := skeletonOf(run)
						if want[key] == nil {
							want[key] = got
						}
						if d := cmp.Diff(want[key], got); d != "" {
							t.Errorf("%s differs from the first server's (-first +this):\n%s", h.Ref.Instance, d)
						}
					}
					if !full {
						noPayload(t, s, emitted.String())
					}
					if strings.Contains(emitted.String(), token) {
						t.Error("the token appears")
					}
				})
			}
		}
	}
}

// findings are what is found in a run, in one line each, but for the question
// that hangs on payloads.
func findings(t *testing.T, run *history.Run) []string {
	t.Helper()
	var out []string
	for _, f := range history.Analyze(run).Findings {
		if f.Kind == history.SameInputTwice {
			continue
		}
		activity := ""
		if f.Activity != nil {
			activity = *f.Activity
		}
		out = append(out, fmt.Sprintf("%s %s %s %d attempts %d calls", f.Kind, f.Certainty, activity, len(f.Attempts), len(f.Calls)))
	}
	slices.Sort(out)
	return out
}

// originalFindings reads the history as the engine stored it.
func originalFindings(t *testing.T, ref history.Ref) []string {
	t.Helper()
	raw, err := os.ReadFile("catalysttest/testdata/runs/" + strings.ReplaceAll(ref.Instance, ":", "_") + "/history.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	run, err := history.Read(raw, history.Options{Sharing: history.Sharing{Level: history.LevelFull, How: "test"}, Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	return findings(t, run)
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// emit writes everything a tool could show of a run, payload values included.
func emit(t *testing.T, w *strings.Builder, h history.Header, run *history.Run) {
	t.Helper()
	for _, v := range []any{h, run} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(b)
		fmt.Fprintf(w, "%+v", v)
	}
	for _, p := range append([]history.Payload{h.CustomStatus, run.CustomStatus, run.Input, run.Output}, payloads(run)...) {
		v, _ := p.Value()
		w.WriteString(v)
	}
}

func payloads(run *history.Run) []history.Payload {
	var out []history.Payload
	for _, e := range run.Events {
		out = append(out, e.Payload)
	}
	return out
}

func checkHeaders(t *testing.T, h history.Header, run *history.Run) {
	t.Helper()
	if run.Status != h.Status || run.Ref.Instance != h.Ref.Instance || run.Workflow != h.Workflow || run.Ref.Execution != h.Ref.Execution ||
		run.Ref.Project != h.Ref.Project || run.Ref.App != "orders" || h.Ref.App != "orders" || !run.Updated.Equal(h.Updated) {
		t.Errorf("header of the list %+v, of the run %+v", h, run.Header)
	}
}

func checkSharing(t *testing.T, run *history.Run, full bool) {
	t.Helper()
	for _, e := range run.Events {
		switch st := e.Payload.State(); {
		case !full && st != history.PayloadWithheld && st != history.PayloadNotRecorded:
			t.Errorf("%s event %d: %v at metadata", run.Ref.Instance, e.Index, e.Payload)
		case full && st == history.PayloadWithheld:
			t.Errorf("%s event %d (%v): %v at full", run.Ref.Instance, e.Index, e.Kind, e.Payload)
		}
	}
	want := history.Sharing{Level: history.LevelMetadata, How: "the server refused a read with DATA_SHARING_RESTRICTED"}
	if full {
		want = history.Sharing{Level: history.LevelFull, How: "this answer holds payloads"}
	}
	if run.Sharing != want {
		t.Errorf("%s: %+v", run.Ref.Instance, run.Sharing)
	}
}

// noPayload looks for every payload of the fixture, and for the words in it
// that stand nowhere else.
func noPayload(t *testing.T, s *catalysttest.Server, emitted string) {
	t.Helper()
	looked := 0
	for _, p := range s.PayloadStrings() {
		words := strings.FieldsFunc(p, func(r rune) bool { return strings.ContainsRune(`{}[]":, \`, r) })
		for _, w := range append(words, p) {
			if len(w) < 7 || slices.Contains(keptWords, w) {
				continue
			}
			looked++
			if strings.Contains(emitted, w) {
				t.Errorf("payload text %q appears", w)
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d words looked for", looked)
	}
}

// keptWords are words of payloads that the answers use of themselves: statuses
// and member names.
var keptWords = []string{"completed", "message", "address", "success"}

// TestPayloadStates: absent, empty and a value survive the whole way, with
// credential keys taken out at both levels.
func TestPayloadStates(t *testing.T) {
	s := start(t, catalysttest.Options{Full: true})
	src := signedIn(t, s)
	run, err := src.Run(t.Context(), history.Ref{Instance: "s1-16-empties"})
	if err != nil {
		t.Fatal(err)
	}
	count := map[history.PayloadState]int{}
	for _, e := range run.Events {
		if e.Kind == history.TaskScheduled || e.Kind == history.TaskCompleted {
			count[e.Payload.State()]++
		}
	}
	if count[history.PayloadEmpty] == 0 || count[history.PayloadShared] == 0 || count[history.PayloadWithheld] != 0 {
		t.Errorf("states at full: %v", count)
	}
	s.SetLevel(false)
	run, err = src.Run(t.Context(), history.Ref{Instance: "s1-15-unicode"})
	if err != nil || run.Input.State() != history.PayloadWithheld {
		t.Errorf("after the level was lowered: %v %v", run.Input, err)
	}
	run, err = src.Run(t.Context(), history.Ref{Instance: "s1-16-empties"})
	if err != nil || run.Input.State() != history.PayloadWithheld || run.Sharing.Level != history.LevelMetadata {
		t.Errorf("a run kept from before the level was lowered: %v %v %v", run.Input, run.Sharing, err)
	}
	s.SetLevel(true)
	run, err = src.Run(t.Context(), history.Ref{Instance: "s1-15-unicode"})
	if err != nil || run.Input.State() != history.PayloadShared {
		t.Errorf("after the level was raised: %v %v", run.Input, err)
	}
}

func TestAmbiguousSchema(t *testing.T) {
	s := start(t, catalysttest.Options{Schema: catalysttest.Schema{RunArg: "both"}})
	src := signedIn(t, s)
	_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3", App: "orders"})
	if fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "instanceId, runId") || !strings.Contains(err.Error(), `"properties"`) {
		t.Errorf("got %v", err)
	}
	if slices.Contains(s.Calls(), "catalyst_get_workflow_run") {
		t.Error("the call was made all the same")
	}
}

func TestAppToList(t *testing.T) {
	s := start(t, catalysttest.Options{Schema: catalysttest.Schema{AppToList: true}})
	if _, _, err := list(t.Context(), signedIn(t, s), history.Filter{}); fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "requires appId") {
		t.Errorf("without an app: %v", err)
	}
	src := signedIn(t, s, func(c *catalyst.Config) { c.App = "orders" })
	if hs, _, err := list(t.Context(), src, history.Filter{}); err != nil || len(hs) != len(s.RunIDs()) {
		t.Errorf("with the configured app: %d runs, %v", len(hs), err)
	}
}

func TestUnmatchedSchema(t *testing.T) {
	s := start(t, catalysttest.Options{Schema: catalysttest.Schema{ProjectArg: "workspace"}})
	_, _, err := list(t.Context(), signedIn(t, s), history.Filter{})
	if fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "no property for the project") || !strings.Contains(err.Error(), "workspace") {
		t.Errorf("got %v", err)
	}
}

func TestRefusedSurfaces(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    catalysttest.Options
		says string
	}{
		{"raw operations", catalysttest.Options{Raw: true}, "raw operations"},
		{"no annotations", catalysttest.Options{NoAnnotations: true}, "does not declare it read-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.o)
			src := signedIn(t, s)
			_, err := src.Run(t.Context(), history.Ref{Instance: "x"})
			if fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			src.Describe(t.Context())
			if n := len(s.Calls()); n != 0 {
				t.Errorf("%d calls were made", n)
			}
		})
	}
}

func TestListing(t *testing.T) {
	s := start(t, catalysttest.Options{Copies: 10, EmptyPages: true, FilterLimit: 7})
	src := signedIn(t, s, func(c *catalyst.Config) { c.PageSize = 50 })
	hs, _, err := list(t.Context(), src, history.Filter{})
	if err != nil || len(hs) != len(s.RunIDs()) {
		t.Fatalf("listed %d of %d: %v", len(hs), len(s.RunIDs()), err)
	}
	seen := map[string]bool{}
	for _, h := range hs {
		seen[h.Ref.Instance] = true
	}
	if len(seen) != len(hs) {
		t.Errorf("%d different runs of %d", len(seen), len(hs))
	}
	if sizes := s.PageSizes(); !slices.Equal(sizes[:4], []int{50, 25, 12, 6}) || slices.Max(sizes[4:]) != 6 {
		t.Errorf("page sizes %v…", sizes[:8])
	}
	failed, _, err := list(t.Context(), src, history.Filter{Status: []history.Status{history.Failed}, App: "orders"})
	if err != nil || len(failed) == 0 || len(failed) == len(hs) {
		t.Errorf("failed runs: %d, %v", len(failed), err)
	}
	text, _, err := list(t.Context(), src, history.Filter{Text: "RERUN-mid"})
	if err != nil || len(text) != 10 {
		t.Errorf("by text: %d, %v", len(text), err)
	}
	since, _, err := list(t.Context(), src, history.Filter{Since: hs[3].Created, Until: hs[3].Created.Add(1)})
	if err != nil || len(since) != 10 {
		t.Errorf("by time: %d, %v", len(since), err)
	}
	// One page is enough for one run; breaking out stops the paging.
	before := len(s.PageSizes())
	for _, err := range src.Runs(t.Context(), history.Filter{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if n := len(s.PageSizes()) - before; n > 5 {
		t.Errorf("%d pages for one run", n)
	}
	rest, _, err := list(t.Context(), src, history.Filter{Cursor: hs[9].Ref.Instance})
	if err != nil || len(rest) != len(hs)-10 || rest[0].Ref != hs[10].Ref {
		t.Errorf("continued: %d, %v", len(rest), err)
	}
	if _, _, err := list(t.Context(), src, history.Filter{Cursor: "gone"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("continued after a run that is gone: %v", err)
	}
}

func TestCache(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	hs, _, err := list(t.Context(), src, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	reads := func() (n int) {
		for _, c := range s.Calls() {
			if c == "catalyst_get_workflow_run" {
				n++
			}
		}
		return n
	}
	for range 3 {
		for _, h := range hs {
			if _, err := src.Run(t.Context(), h.Ref); err != nil {
				t.Fatal(err)
			}
		}
	}
	// One run of the fixture still goes on and is read each time.
	if want := len(hs) - 1 + 3; reads() != want {
		t.Errorf("%d reads, want %d", reads(), want)
	}
	ref := hs[len(hs)-1].Ref
	ref.Execution = "another-life"
	if _, err := src.Run(t.Context(), ref); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "another one") {
		t.Errorf("another life: %v", err)
	}
}

func TestProject(t *testing.T) {
	for _, tt := range []struct {
		given string
		want  history.Project
	}{
		{"", history.Project{Name: "default", UID: "165"}},
		{"default", history.Project{Name: "default", UID: "165"}},
		{"165", history.Project{Name: "default", UID: "165"}},
		{"prj-165", history.Project{Name: "default", UID: "165"}},
	} {
		s := start(t, catalysttest.Options{})
		src := signedIn(t, s, func(c *catalyst.Config) { c.Project = tt.given })
		if got := src.Describe(t.Context()).Project; got != tt.want {
			t.Errorf("%q: %+v", tt.given, got)
		}
	}
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3", Project: history.Project{Name: "other"}})
	if err == nil || !strings.Contains(err.Error(), "no such project") {
		t.Errorf("a run of another project: %v", err)
	}
	ps, err := src.Projects(t.Context())
	if want := []history.Project{{Name: "default", UID: "165"}, {Name: "165", UID: "166"}}; err != nil || !slices.Equal(ps, want) {
		t.Errorf("projects: %+v %v", ps, err)
	}
}

func TestQuota(t *testing.T) {
	s := start(t, catalysttest.Options{FailedPart: true})
	st := signedIn(t, s).Status(t.Context())
	var got []string
	for _, q := range st.Quotas {
		got = append(got, q.String())
	}
	want := []string{
		"1 used, limit 1 (catalyst.per_cloud_region us-west)",
		"0 used, limit 3 (catalyst.per_private_region lab)",
		"1 used, limit not stated (organization)",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !slices.Equal(st.FailedParts, []string{"getCurrentUser"}) || st.Organization != catalysttest.Organization {
		t.Errorf("failed parts %v, organization %q", st.FailedParts, st.Organization)
	}
}

// TestHistories: in the order of the listing, with what cannot be read skipped
// and what ends everything ending it.
func TestHistories(t *testing.T) {
	s := start(t, catalysttest.Options{Copies: 4})
	src := signedIn(t, s)
	read := func() (ids []string, skipped int, err error) {
		for run, err := range src.Histories(t.Context(), history.Filter{}) {
			var skip *history.Skipped
			switch {
			case errors.As(err, &skip):
				skipped++
				if skip.NoRun { // a run stands there: the listing is partial
					t.Errorf("%v counts as no run", skip)
				}
			case err != nil:
				return ids, skipped, err
			default:
				ids = append(ids, run.Ref.Instance)
			}
		}
		return ids, skipped, nil
	}
	ids, skipped, err := read()
	if err != nil || skipped != 0 || !slices.Equal(ids, s.RunIDs()) {
		t.Errorf("%d runs, %d skipped, %v", len(ids), skipped, err)
	}
	src = signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "NOT_FOUND", Times: 3})
	if ids, skipped, err = read(); err != nil || skipped != 3 || len(ids) != len(s.RunIDs())-3 {
		t.Errorf("%d runs, %d skipped, %v", len(ids), skipped, err)
	}
	src = signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "NOT_AUTHENTICATED", Times: 1})
	if _, _, err = read(); fault.KindOf(err) != fault.SignIn {
		t.Errorf("signed out on the way: %v", err)
	}
	for _, err := range src.Histories(t.Context(), history.Filter{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}
