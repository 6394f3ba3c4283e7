package review_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/review"
)

const (
	imports = "import psycopg\nimport dapr.ext.workflow as wf\nfrom helper import save, TABLE\n\nwfr = wf.WorkflowRuntime()\n"
	act     = "\n\n@wfr.activity(name=\"Record\")\ndef record(ctx, order):\n    save(order)\n"
	other   = "\n\n@wfr.activity(name=\"Audit\")\ndef audit(ctx, order):\n    psycopg.connect('').execute('INSERT INTO audit (a) VALUES (%s)', (order['a'],))\n"
	flow    = "\n\n@wfr.workflow(name=\"Flow\")\ndef flow(ctx, order):\n    yield ctx.call_activity(record, input=order)\n"
	helper  = "import psycopg\n\nTABLE = 'orders'\n\n\ndef save(order):\n    if order['total'] > 0:\n        psycopg.connect('').execute('INSERT INTO orders (total) VALUES (%s)', (order['total'],))\n"
)

// said is what a comparison says, a line for each touched unit: name, verdict,
// why, and its findings.
func said(c review.Comparison) []string {
	var out []string
	for _, u := range c.Units {
		if !u.Touched() {
			continue
		}
		line := fmt.Sprintf("%s %s: %s;", u.Name, u.Verdict, strings.Join(u.Why, ", "))
		for _, x := range u.Changes {
			line += fmt.Sprintf(" %s %s", x.Status, x.Rule)
			if x.Worse {
				line += " worse"
			}
		}
		out = append(out, line)
	}
	return out
}

func TestCompareResults(t *testing.T) {
	before := fstest.MapFS{"a.py": text(imports + act + other + flow), "helper.py": text(helper)}
	edited := func(file, old, new string) fstest.MapFS {
		after := fstest.MapFS{"a.py": before["a.py"], "helper.py": before["helper.py"]}
		s := strings.ReplaceAll(string(before[file].Data), old, new)
		if s == string(before[file].Data) {
			t.Fatalf("%q is not in %s", old, file)
		}
		after[file] = text(s)
		return after
	}
	for name, tc := range map[string]struct {
		after fstest.MapFS
		want  []string
	}{
		"nothing":                {before, nil},
		"comments and lines":     {edited("a.py", "wfr = wf", "# one\n# two\n\n\nwfr = wf"), nil},
		"line endings":           {edited("a.py", "\n", "\r\n"), nil},
		"a renamed file":         {fstest.MapFS{"b.py": before["a.py"], "helper.py": before["helper.py"]}, nil},
		"a helper's guard":       {edited("helper.py", "    if order['total'] > 0:\n        psy", "    psy"), []string{"Record hazard: code that it calls changed: save in helper.py; existing IDEM001"}},
		"a helper's indentation": {edited("helper.py", "        psy", "        pass\n    psy"), []string{"Record hazard: code that it calls changed: save in helper.py; existing IDEM001"}},
		"a fixed helper":         {edited("helper.py", "(%s)'", "(%s) ON CONFLICT DO NOTHING'"), []string{"Record safe: code that it calls changed: save in helper.py; fixed IDEM001"}},
		"a removed activity":     {edited("a.py", other, ""), []string{"Audit gone: it is not there any more; fixed IDEM001"}},
		"a new activity":         {edited("a.py", other, other+strings.ReplaceAll(strings.ReplaceAll(other, "udit", "dd"), "INTO add", "INTO more")), []string{"Add hazard: it is new; new IDEM001"}},
		"a renamed activity":     {edited("a.py", `"Audit"`, `"Log"`), []string{"Log hazard: it is new; new IDEM001", "Audit gone: it is not there any more; fixed IDEM001"}},
		"a policy":               {edited("a.py", "input=order)", "input=order, retry_policy=wf.RetryPolicy(max_number_of_attempts=3))"), []string{"Record hazard: its call site gained a retry policy; existing IDEM001 worse"}},
		"a call removed":         {edited("a.py", "yield ctx.call_activity(record, input=order)", "pass"), []string{"Record hazard: a call of it was removed; existing IDEM001"}},
		"a call added": {edited("a.py", "    yield ctx.call_activity(record, input=order)\n", "    yield ctx.call_activity(record, input=order)\n    yield ctx.call_activity(audit, input=order)\n"),
			[]string{"Audit hazard: how flow calls it changed; existing IDEM001"}},
		"a call added, with a policy": {edited("a.py", "    yield ctx.call_activity(record, input=order)\n", "    yield ctx.call_activity(record, input=order)\n\n\n@wfr.workflow(name=\"Night\")\ndef night(ctx, order):\n    yield ctx.call_activity(record, input=order, retry_policy=wf.RetryPolicy(max_number_of_attempts=3))\n"),
			[]string{"Record hazard: it has a new call site, with a retry policy; existing IDEM001 worse"}},
		"a new twin before it": {fstest.MapFS{"a.py": before["a.py"], "helper.py": before["helper.py"], "0.py": text(imports + other)}, []string{"Audit hazard: it is new; new IDEM001"}},
		"another callee":       {edited("a.py", "    save(order)\n", "    save(order)\n    more(order)\n\n\ndef more(order):\n    save(order)\n"), []string{"Record hazard: its body changed, it calls more now: more in a.py; existing IDEM001"}},
		"silenced":             {edited("helper.py", "(order['total'],))", "(order['total'],))  # idem:ignore IDEM001 scratch"), []string{"Record safe: code that it calls changed: save in helper.py; silenced IDEM001"}},
		"unreadable":           {edited("a.py", "import psycopg\n", "import psycopg\x00\n"), []string{"Record gone: it is not there any more; unread IDEM001", "Audit gone: it is not there any more; unread IDEM001"}},
		"in a workflow":        {edited("a.py", "    yield", "    psycopg.connect('').execute('INSERT INTO f (a) VALUES (1)')\n    yield"), []string{"flow hazard: something is found in its body; new IDEM027"}},
	} {
		t.Run(name, func(t *testing.T) {
			was, is := run(t, before), run(t, tc.after)
			if d := cmp.Diff(tc.want, said(review.CompareResults(&was, &is, nil, nil))); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestCompareWithin: a path reports on what stands in it and on what calls into
// it, and the rest of the project still counts for what is fixed.
func TestCompareWithin(t *testing.T) {
	before, after := fstest.MapFS{"a.py": text(imports + act + other), "helper.py": text(helper)}, fstest.MapFS{"a.py": text(imports + act), "b.py": text(imports + other), "helper.py": text(helper)}
	was, is := run(t, before), run(t, after)
	for path, want := range map[string][]string{"a.py": {"Record"}, "b.py": {"Audit"}, "helper.py": {"Record"}, "none.py": nil} {
		c := review.CompareResults(&was, &is, nil, func(f string) bool { return f == path })
		var names []string
		for _, u := range c.Units {
			names = append(names, u.Name)
			for _, x := range u.Changes {
				if x.Status != review.Existing {
					t.Errorf("%s: %s is %s", path, u.Name, x.Status)
				}
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", path, names, want)
		}
	}
}

// TestSilencedTwins: silencing one of two equal lines, either one, leaves the
// other as it was.
func TestSilencedTwins(t *testing.T) {
	line := "    psycopg.connect('').execute('INSERT INTO audit (a) VALUES (1)')"
	file := func(first, second string) fstest.MapFS {
		return fstest.MapFS{"a.py": text(imports + "\n\n@wfr.activity\ndef twice(ctx, order):\n" + line + first + "\n" + line + second + "\n")}
	}
	const hush = "  # idem:ignore IDEM001 scratch"
	was := run(t, file("", ""))
	if len(was.Activities[0].Findings) != 2 {
		t.Fatalf("%+v", was.Activities)
	}
	for _, f := range []fstest.MapFS{file(hush, ""), file("", hush)} {
		is := run(t, f)
		c := review.CompareResults(&was, &is, nil, nil)
		if c.Count(review.Existing) != 1 || c.Count(review.Hushed) != 1 || len(c.Changes()) != 2 {
			t.Errorf("%v", said(c))
		}
	}
}

// TestSilencedInWorkflow: a comment silences what is found in a workflow too, and
// is not called unused.
func TestSilencedInWorkflow(t *testing.T) {
	res := run(t, fstest.MapFS{"a.py": text(imports + strings.Replace(flow, "    yield", "    # idem:ignore IDEM027 the table is emptied by every replay\n    psycopg.connect('').execute('INSERT INTO f (a) VALUES (1)')\n    yield", 1))})
	if len(res.Workflows) != 0 || len(res.Silenced) != 1 || res.Silenced[0].Owner != "flow" || len(res.Suppressions) != 1 || !res.Suppressions[0].Used || res.Suppressions[0].Problem != "" {
		t.Errorf("%+v %+v %+v", res.Workflows, res.Silenced, res.Suppressions)
	}
}

// TestMovedLines: lines put before everything touch nothing, in any language,
// though messages and guards name lines.
func TestMovedLines(t *testing.T) {
	before, after := fstest.MapFS{}, fstest.MapFS{}
	corpus := os.DirFS("testdata/corpus")
	err := fs.WalkDir(corpus, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(corpus, p)
		mark := "//"
		if strings.HasSuffix(p, ".py") {
			mark = "#"
		}
		before[p], after["moved/"+p] = text(string(b)), text(strings.Repeat(mark+" unrelated\n", 50)+string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	was, is := run(t, before), run(t, after)
	c := review.CompareResults(&was, &is, nil, nil)
	if got := said(c); len(got) > 0 || len(c.Units) < 150 {
		t.Errorf("%d units; touched: %s", len(c.Units), strings.Join(got, "\n"))
	}
	if c.Count(review.New)+c.Count(review.Fixed) != 0 || c.Count(review.Existing) < 100 {
		t.Errorf("%d new, %d fixed, %d existing", c.Count(review.New), c.Count(review.Fixed), c.Count(review.Existing))
	}
}

// TestTwinRemoved: of two activities of one name and text, the one that went is
// gone, whatever the order, and every finding keeps the fingerprint that a review of
// its own gives it.
func TestTwinRemoved(t *testing.T) {
	twins := fstest.MapFS{"0.py": text(imports + other), "a.py": text(imports + other)}
	was := run(t, twins)
	for name := range twins {
		is := run(t, fstest.MapFS{name: twins[name]})
		c := review.CompareResults(&was, &is, nil, nil)
		if d := cmp.Diff([]string{"Audit gone: it is not there any more; fixed IDEM001"}, said(c)); d != "" {
			t.Errorf("%s stays: -want +got\n%s", name, d)
		}
		if c.Units[0].File != name || c.Units[0].Changes[0].Fingerprint != review.Identify(&is)[0].Fingerprint {
			t.Errorf("%s stays: %+v", name, c.Units[0])
		}
	}
}

// TestRenamedFile: a renamed file is told where the rename is known, and an unreadable
// file under its new name is not one that was fixed.
func TestRenamedFile(t *testing.T) {
	was := run(t, fstest.MapFS{"a.py": text(imports + other), "helper.py": text(helper)})
	is := run(t, fstest.MapFS{"b.py": text(imports + other), "helper.py": text(helper)})
	c := review.CompareResults(&was, &is, map[string]string{"b.py": "a.py"}, nil)
	if d := cmp.Diff([]string{"Audit hazard: its file was renamed from a.py; existing IDEM001"}, said(c)); d != "" {
		t.Error(d)
	}
	is = run(t, fstest.MapFS{"b.py": text("\x00")})
	c = review.CompareResults(&was, &is, map[string]string{"b.py": "a.py"}, nil)
	if c.Count(review.Unread) != 1 || !strings.HasPrefix(c.Changes()[0].Reason, "b.py: ") {
		t.Errorf("%+v", c.Changes())
	}
}
