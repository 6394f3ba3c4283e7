package output_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/output"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// shop has a finding in a helper, one in a workflow, a silenced one, one to
// verify, a file with a syntax error and a name that every form has to escape.
var shop = fstest.MapFS{
	"app/a%b: c,d <&\">.py": text(`import dapr.ext.workflow as wf
import psycopg
import requests
from pay import charge

wfr = wf.WorkflowRuntime()


@wfr.activity(name="ChargeCard")
def charge_card(ctx, order):
    return charge(order)


@wfr.activity(name="RecordOrder")
def record_order(ctx, order):
    db = psycopg.connect("")
    db.execute("INSERT INTO log (total) VALUES (%s)", (order["total"],))  # idem:ignore IDEM001 the log may hold doubles <&>
    db.execute("INSERT INTO orders (total) VALUES (%s)", (order["total"],))


@wfr.activity(name="CloseOrder")
def close_order(ctx, order):
    psycopg.connect("").execute("UPDATE orders SET state = 'closed' WHERE id = %s", (order["id"],))


@wfr.workflow(name="OrderWorkflow")
def order_workflow(ctx, order):
    requests.post("https://mail.example/v1/messages", json=order)
    yield ctx.call_activity(charge_card, input=order)
`),
	"pay.py":    text("import requests\n\n\ndef charge(order):\n    return requests.post(\"https://pay.example/v1/charges\", json=order)\n"),
	"broken.py": text("import dapr.ext.workflow\ndef f(:\n    pass\n"),
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func reviewed(t testing.TB, files fstest.MapFS) review.Result {
	t.Helper()
	res, err := review.Review(t.Context(), review.Config{Files: files, Languages: lang.All(), Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// made is the report of a review, compared with what an earlier state was.
func made(t testing.TB, files, before fstest.MapFS) *output.Report {
	t.Helper()
	res := reviewed(t, files)
	c := review.Uncompared(&res, nil)
	if before != nil {
		was := reviewed(t, before)
		c = review.CompareResults(&was, &res, nil, nil)
	}
	r := &output.Report{Version: "1.2.3", Summary: "a summary", Rules: rules.All(), Units: c.Units,
		Fails: func(c review.Change) bool {
			return c.Severity == review.Hazard && (c.Status == "" || c.Status == review.New)
		}}
	for i, f := range review.IdentifySilenced(&res) {
		r.Silenced = append(r.Silenced, output.Silenced{Identified: f, Reason: res.Silenced[i].Reason})
	}
	for _, s := range res.Skipped {
		if !review.OnPurpose(s.Reason) {
			r.Gaps = append(r.Gaps, s)
		}
	}
	return r
}

// earlier is the shop before: a finding that is fixed since, and one that is not
// there yet.
func earlier() fstest.MapFS {
	before := fstest.MapFS{}
	for name, f := range shop {
		s := strings.Replace(string(f.Data), "UPDATE orders SET state = 'closed'", "UPDATE orders SET seen = seen + 1", 1)
		if name == "pay.py" {
			s = strings.Replace(s, "json=order", `json=order, headers={"Idempotency-Key": order["id"]}`, 1)
		}
		before[name] = text(s)
	}
	return before
}

func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	corpus := fstest.MapFS{}
	for _, p := range []string{"python/shop.py", "csharp/Shop.cs", "go/shop.go"} {
		b, err := os.ReadFile("../testdata/corpus/" + p)
		if err != nil {
			t.Fatal(err)
		}
		corpus[p] = text(string(b))
	}
	for name, r := range map[string]*output.Report{"alone": made(t, shop, nil), "compared": made(t, shop, earlier()), "empty": made(t, fstest.MapFS{"a.py": text("")}, nil), "corpus": made(t, corpus, nil)} {
		b, err := output.SARIF(r)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct {
						Rules []struct {
							ID, Name, HelpURI string
							Help              struct{ Text, Markdown string }
							ShortDescription  struct{ Text string }
							FullDescription   struct{ Text string }
						}
					}
				}
				Results     json.RawMessage
				Invocations json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &log); err != nil {
			t.Fatal(err)
		}
		if name == "corpus" {
			continue
		}
		var show bytes.Buffer
		for _, part := range []json.RawMessage{log.Runs[0].Results, log.Runs[0].Invocations} {
			if err := json.Indent(&show, slim(t, part), "", " "); err != nil {
				t.Fatal(err)
			}
			show.WriteByte('\n')
		}
		golden.File(t, "testdata/"+name+".sarif.json", show.Bytes())
		if name != "alone" {
			continue
		}
		doc, err := os.ReadFile("../../docs/rules.md")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(log.Runs[0].Tool.Driver.Rules); n != len(rules.All()) {
			t.Errorf("%d rules", n)
		}
		for _, r := range log.Runs[0].Tool.Driver.Rules {
			_, anchor, _ := strings.Cut(r.HelpURI, "/docs/rules.md#")
			heading := "\n## " + strings.Replace(strings.ToUpper(anchor[:7])+anchor[7:], "-", " ", 1) + "\n"
			if !strings.Contains(string(doc), heading) {
				t.Errorf("%s: docs/rules.md has no heading %q", r.ID, heading)
			}
			if r.Name == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || !strings.Contains(r.Help.Text, "Use instead:") || !strings.Contains(r.Help.Markdown, "**Use instead.**") {
				t.Errorf("%s is described in part: %+v", r.ID, r)
			}
		}
	}
}

// slim leaves out what only says that a list is empty or an index is not set.
func slim(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case map[string]any:
			for k, y := range x {
				if l, ok := y.([]any); ok && len(l) == 0 && k != "suppressions" || y == -1.0 {
					delete(x, k)
					continue
				}
				x[k] = walk(y)
			}
		case []any:
			for i := range x {
				x[i] = walk(x[i])
			}
		}
		return v
	}
	b, err := json.Marshal(walk(v))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sarifSchema takes the schema of SARIF 2.1.0 out of the library's source, where
// it is not exported.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	lit := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	source, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaRefuses: the schema that SARIF is held against is one.
func TestSchemaRefuses(t *testing.T) {
	schema := sarifSchema(t)
	for _, bad := range []string{`{}`, `{"version":"2.1.0","runs":[{}]}`, `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"level":"grave","message":{"text":"x"}}]}]}`} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}

func TestJUnit(t *testing.T) {
	for name, r := range map[string]*output.Report{"alone": made(t, shop, nil), "compared": made(t, shop, earlier()), "empty": made(t, fstest.MapFS{"a.py": text("")}, nil)} {
		b, err := output.JUnit(r)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/"+name+".junit.xml", b)
	}
}

// TestJUnitSchema holds the goldens, and a report with characters that XML does
// not know, against the schema.
func TestJUnitSchema(t *testing.T) {
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("xmllint is missing: apt-get install libxml2-utils, or `make test`, which does that")
	}
	files, err := filepath.Glob("testdata/*.junit.xml")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	r := made(t, shop, nil)
	r.Units[0].Name, r.Units[0].Changes[0].Message = "a\x00b\ufffe]]>", "\x1b[31m <!-- &amp;"
	b, err := output.JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "odd.xml")
	if err := os.WriteFile(odd, b, 0o600); err != nil {
		t.Fatal(err)
	}
	lint := func(file string) error {
		out, err := exec.CommandContext(t.Context(), "xmllint", "--nonet", "--noout", "--schema", "testdata/junit.xsd", file).CombinedOutput()
		t.Logf("%s", out)
		return err
	}
	for _, f := range append(files, odd) {
		if err := lint(f); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.xml")
	if err := os.WriteFile(bad, bytes.Replace(b, []byte("<testcase "), []byte("<testcases "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if lint(bad) == nil {
		t.Error("the schema refuses nothing")
	}
}

func TestGitHub(t *testing.T) {
	r := made(t, shop, earlier())
	r.Anew = "idem-mcp review --write-baseline b.json ."
	golden.File(t, "testdata/compared.github.txt", output.GitHub(r))
}

// parse reads one line as the runner of GitHub does.
func parse(line string) (name string, properties map[string]string, text string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "::")
	if !ok {
		return "", nil, "", false
	}
	head, text, ok := strings.Cut(rest, "::")
	if !ok {
		return "", nil, "", false
	}
	name, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for p := range strings.SplitSeq(list, ",") {
		k, v, _ := strings.Cut(p, "=")
		properties[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
	}
	return name, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(text), true
}

// FuzzGitHub: whatever a file, an activity or a message is called, one finding is
// one command, and its parts arrive as they were.
func FuzzGitHub(f *testing.F) {
	f.Add("a.py", "says")
	f.Add("a%b: c,d\n::error::x", "50%0A\r\n::set-output name=x::y ##[add-mask]z")
	f.Fuzz(func(t *testing.T, file, message string) {
		u := review.Unit{Changes: []review.Change{{Identified: review.Identified{Finding: review.Finding{Rule: "IDEM001", Severity: review.Hazard, File: file, Line: 3, Message: message}}}}}
		out := string(output.GitHub(&output.Report{Units: []review.Unit{u}, Summary: "##[error]x"}))
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 2 || strings.Contains(lines[1], "##[") {
			t.Fatalf("%q", out)
		}
		name, properties, text, ok := parse(lines[0])
		if !ok || name != "error" || properties["file"] != file || text != message+"." || properties["line"] != "3" {
			t.Errorf("%q, %v, %q from %q", name, properties, text, lines[0])
		}
	})
}

// TestXMLRoundTrip: JUnit says the same when it is read again.
func TestXMLRoundTrip(t *testing.T) {
	b, err := output.JUnit(made(t, shop, nil))
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, s := range v.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed = append(failed, c.Name+" "+c.Failure.Type)
			}
		}
	}
	want := []string{"ChargeCard IDEM002 unkeyed-create", "RecordOrder IDEM001 unkeyed-insert", "workflow order_workflow IDEM027 effect-in-workflow"}
	if !slices.Equal(failed, want) || v.Failures != len(want) || v.Suites[0].Name != `app/a%b: c,d <&">.py` {
		t.Errorf("%v of %d tests, %q", failed, v.Tests, v.Suites[0].Name)
	}
}
