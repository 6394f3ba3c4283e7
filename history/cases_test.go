package history_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/golden"
)

// TestCases runs testdata/cases/*.txtar: a history in the small language below
// and the findings that it must give, one a line. Add a case by writing the
// "history" part and running with -update; then read what it wrote.
//
//	turn                            a turn starts
//	started NAME                    executionStarted
//	task ID NAME [id=X] [in=JSON]   taskScheduled
//	ok ID [id=X]                    taskCompleted
//	fail ID [id=X] [msg=TEXT…]      taskFailed
//	timer ID [name=N] [origin=create|activity:X|child:X] [in=1h]
//	fired ID
//	child ID NAME INSTANCE          childWorkflowInstanceCreated
//	childok ID | childfail ID
//	end STATUS                      executionCompleted
//	at +2s | at -2s                 moves the clock; every event takes 10 ms
//	new/raised/terminated …         see the code
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var src, want string
			for _, f := range ar.Files {
				switch f.Name {
				case "history":
					src = string(f.Data)
				case "want":
					want = string(f.Data)
				}
			}
			o := history.Options{Sharing: fullLevel}
			o.Ref.Instance = "run-1"
			if strings.Contains(string(ar.Comment), "level: metadata") {
				o.Sharing = metadataLevel
			}
			run, err := history.Read([]byte(script(t, src)), o)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(ar.Comment), "generation: 2") {
				run.Generation = 2
			}
			got := brief(history.Analyze(run))
			if *golden.Update {
				ar.Files = []txtar.File{{Name: "history", Data: []byte(src)}, {Name: "want", Data: []byte(got)}}
				golden.File(t, path, txtar.Format(ar))
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// brief writes one line a finding.
func brief(a history.Analysis) string {
	var b strings.Builder
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "%s %s", f.Kind, f.Certainty)
		if f.Call != nil {
			fmt.Fprintf(&b, " %s", *f.Call)
		}
		for _, at := range f.Attempts {
			fmt.Fprintf(&b, " [%d", at.TaskScheduledID)
			if at.Result != nil {
				fmt.Fprintf(&b, " %s", *at.Result)
			}
			if at.Outcome != nil {
				fmt.Fprintf(&b, " %s", *at.Outcome)
			}
			b.WriteString("]")
		}
		for _, ch := range f.Children {
			fmt.Fprintf(&b, " child=%s", ch.Run)
		}
		for _, c := range f.Calls {
			fmt.Fprintf(&b, " %s%v", c.Call, c.Marks)
		}
		if len(f.LinkedBy) > 0 {
			fmt.Fprintf(&b, " by=%v", f.LinkedBy)
		}
		if f.Inputs != "" {
			fmt.Fprintf(&b, " inputs=%s", f.Inputs)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// script turns the case language into protojson lines.
func script(t testing.TB, src string) string {
	t.Helper()
	clock := time.Date(2026, 11, 1, 12, 0, 0, 1000, time.UTC)
	var b strings.Builder
	for n, line := range strings.Split(src, "\n") {
		w := strings.Fields(line)
		if len(w) == 0 || strings.HasPrefix(w[0], "#") {
			continue
		}
		if w[0] == "at" {
			d, err := time.ParseDuration(w[1])
			if err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			clock = clock.Add(d)
			continue
		}
		clock = clock.Add(10 * time.Millisecond)
		id, body := event(t, w, clock)
		fmt.Fprintf(&b, `{"eventId":%d,"timestamp":%q,%s}`+"\n", id, clock.Format(time.RFC3339Nano), body)
	}
	return b.String()
}

func event(t testing.TB, w []string, clock time.Time) (id int, body string) {
	t.Helper()
	opt := map[string]string{}
	for i, a := range w[1:] {
		if k, v, ok := strings.Cut(a, "="); ok {
			opt[k] = v
			if k == "msg" {
				opt[k] = strings.Join(append([]string{v}, w[i+2:]...), " ")
				break
			}
		}
	}
	num := func(i int) int {
		n, err := strconv.Atoi(w[i])
		if err != nil {
			t.Fatalf("%v: %v", w, err)
		}
		return n
	}
	exec := ""
	if opt["id"] != "" {
		exec = fmt.Sprintf(`,"taskExecutionId":%q`, opt["id"])
	}
	switch w[0] {
	case "turn":
		return -1, `"workflowStarted":{}`
	case "started":
		inst := "run-1"
		if opt["instance"] != "" {
			inst = opt["instance"]
		}
		return -1, fmt.Sprintf(`"executionStarted":{"name":%q,"workflowInstance":{"instanceId":%q}}`, w[1], inst)
	case "task":
		in := ""
		if opt["in"] != "" {
			in = fmt.Sprintf(`,"input":%q`, opt["in"])
		}
		if opt["rerun"] != "" {
			in += fmt.Sprintf(`,"rerunParentInstanceInfo":{"instanceID":%q}`, opt["rerun"])
		}
		return num(1), fmt.Sprintf(`"taskScheduled":{"name":%q%s%s}`, w[2], in, exec)
	case "ok":
		return -1, fmt.Sprintf(`"taskCompleted":{"taskScheduledId":%d%s}`, num(1), exec)
	case "fail":
		return -1, fmt.Sprintf(`"taskFailed":{"taskScheduledId":%d,"failureDetails":{"errorType":"E","errorMessage":%q}%s}`, num(1), opt["msg"], exec)
	case "timer":
		d, err := time.ParseDuration(opt["in"])
		if err != nil {
			d = time.Second
		}
		extra := ""
		if opt["name"] != "" {
			extra = fmt.Sprintf(`,"name":%q`, opt["name"])
		}
		switch kind, ref, _ := strings.Cut(opt["origin"], ":"); kind {
		case "create":
			extra += `,"createTimer":{}`
		case "activity":
			extra += fmt.Sprintf(`,"activityRetry":{"taskExecutionId":%q}`, ref)
		case "child":
			extra += fmt.Sprintf(`,"childWorkflowRetry":{"instanceId":%q}`, ref)
		case "event":
			extra += fmt.Sprintf(`,"externalEvent":{"name":%q}`, ref)
		}
		return num(1), fmt.Sprintf(`"timerCreated":{"fireAt":%q%s}`, clock.Add(d).Format(time.RFC3339Nano), extra)
	case "fired":
		return -1, fmt.Sprintf(`"timerFired":{"timerId":%d}`, num(1))
	case "child":
		return num(1), fmt.Sprintf(`"childWorkflowInstanceCreated":{"name":%q,"instanceId":%q}`, w[2], w[3])
	case "childok":
		return -1, fmt.Sprintf(`"childWorkflowInstanceCompleted":{"taskScheduledId":%d}`, num(1))
	case "childfail":
		return -1, fmt.Sprintf(`"childWorkflowInstanceFailed":{"taskScheduledId":%d,"failureDetails":{"errorMessage":"503"}}`, num(1))
	case "end":
		return 99, fmt.Sprintf(`"executionCompleted":{"workflowStatus":"ORCHESTRATION_STATUS_%s"}`, w[1])
	case "continued":
		return -1, `"continueAsNew":{}`
	case "raised":
		return -1, fmt.Sprintf(`"eventRaised":{"name":%q}`, w[1])
	}
	t.Fatalf("unknown word %q", w[0])
	return 0, ""
}
