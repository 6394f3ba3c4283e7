package keys_test

import (
	"bytes"
	"database/sql"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/idem-mcp/idem-mcp/keys"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/parse"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

var (
	languages = []string{"go", "python", "java", "csharp", "javascript", "typescript"}
	grammars  = map[string]parse.Grammar{".go": parse.Go, ".py": parse.Python, ".java": parse.Java, ".cs": parse.CSharp, ".js": parse.JavaScript}
)

// sources are the snippet files of a folder of testdata.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/" + folder + "/*")
	if err != nil || len(list) < 5 {
		t.Fatalf("%s: %d files, %v", folder, len(list), err)
	}
	return list
}

// TestSnippetsParse: every file that answers show code from is without a syntax
// error in its language, and as gofmt wants it in Go.
func TestSnippetsParse(t *testing.T) {
	if !parse.BuiltIn {
		t.Skip(parse.ErrNotBuiltIn)
	}
	for _, path := range append(sources(t, "code"), sources(t, "record")...) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".sql") {
			continue // executed below
		}
		g, ok := grammars[filepath.Ext(path)]
		if !ok {
			t.Fatalf("%s: no grammar", path)
		}
		tree, err := parse.Parse(g, src)
		if err != nil || tree.Errors() > 0 {
			t.Errorf("%s: %v, syntax errors", path, err)
		}
		if g == parse.JavaScript {
			if tree, err := parse.Parse(parse.TypeScript, src); err != nil || tree.Errors() > 0 {
				t.Errorf("%s is no TypeScript: %v", path, err)
			}
		}
		if g == parse.Go {
			out, err := format.Source(src)
			if err != nil || !bytes.Equal(out, src) {
				t.Errorf("%s: gofmt: %v", path, err)
			}
		}
	}
}

// TestSnippetsOfGoCompile: those whose libraries this module has.
func TestSnippetsOfGoCompile(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "vet", "testdata/code/keys.go").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSnippetsOfJavaScriptCheck runs node --check on them.
func TestSnippetsOfJavaScriptCheck(t *testing.T) {
	node := tool(t, "node")
	for _, path := range []string{"testdata/code/keys.js", "testdata/record/prisma.js"} {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		module := filepath.Join(t.TempDir(), "snippet.mjs")
		if err := os.WriteFile(module, src, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), node, "--check", module).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// TestSnippetsPassOurOwnReview: this product obeys its rules. No activity that
// answers show has a finding, advice included.
func TestSnippetsPassOurOwnReview(t *testing.T) {
	if !parse.BuiltIn {
		t.Skip(parse.ErrNotBuiltIn)
	}
	for folder, least := range map[string]int{"code": 13, "record": 5} {
		res := reviewed(t, os.DirFS("testdata/"+folder))
		if len(res.Activities) < least {
			t.Errorf("%s: %d activities were found, at least %d are there", folder, len(res.Activities), least)
		}
		for _, a := range res.Activities {
			if a.Verdict != review.Safe || len(a.Findings) > 0 || len(a.Effects) == 0 {
				t.Errorf("%s %s: %s, %d effects, %v", a.File, a.Name, a.Verdict, len(a.Effects), a.Findings)
			}
		}
		for _, w := range res.Workflows {
			t.Errorf("%s %s: %v", w.File, w.Name, w.Findings)
		}
	}
}

func reviewed(t *testing.T, files fs.FS) review.Result {
	t.Helper()
	res, err := review.Review(t.Context(), review.Config{Files: files, Languages: lang.All(), Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestCode: every language has every part, but the one that its SDK lacks.
func TestCode(t *testing.T) {
	for _, language := range languages {
		for _, part := range []string{"natural", "step", "loop", "parent", "execution_id", "activity", "log", "logged"} {
			s := keys.Code(language, part)
			if part == "execution_id" && (language == "javascript" || language == "typescript" || language == "csharp") {
				// JavaScript has none; in .NET every attempt has another, so no code shows it as a key
				if s != nil {
					t.Errorf("%s has code for an execution id as key", language)
				}
				continue
			}
			if s == nil || s.What == "" || s.Code == "" || strings.Contains(s.Code, "["+part+"]") || strings.HasPrefix(s.Code, " ") || strings.HasPrefix(s.Code, "\t") {
				t.Errorf("%s %s: %+v", language, part, s)
			}
		}
		if got := keys.RecordCode(language); len(got) != 3 || strings.Contains(got[0].Code, "not built in") || !strings.Contains(got[0].Code, "pending") {
			t.Errorf("%s: record code %+v", language, got)
		}
	}
	if keys.Code("cobol", "step") != nil {
		t.Error("code in an unknown language")
	}
}

// TestFit: a snippet with the user's names in it still parses, and foreign text
// gets into none.
func TestFit(t *testing.T) {
	s := keys.Code("python", "loop").Fit("SendInvoice", "receipt")
	if !strings.Contains(s.Code, "call_activity(SendInvoice") || !strings.Contains(s.Code, ":send-invoice:{i}") {
		t.Error(s.Code)
	}
	if s := keys.Code("go", "natural").Fit("shop.SendInvoice", "receipt"); !strings.Contains(s.Code, `":receipt"`) || !strings.Contains(s.Code, "CallActivity(SendInvoice") {
		t.Error(s.Code)
	}
	plain := *keys.Code("go", "natural")
	if s := plain.Fit("x\"); os.Exit(1) //", "y"); s != plain {
		t.Error(s.Code)
	}
}

// statements are those of the SQL snippet of a database, in order.
func statements(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		text, _, _ := strings.Cut(line, "--")
		lines = append(lines, text)
	}
	var out []string
	for s := range strings.SplitSeq(strings.Join(lines, ""), ";") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// TestRecordInSQLite executes the snippet: the second claim of a key is refused,
// an outcome is written once, a transient failure is taken up by one.
func TestRecordInSQLite(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	st := statements(t, "testdata/record/sqlite.sql")
	if len(st) != 7 {
		t.Fatalf("%d statements: %q", len(st), st)
	}
	create, claim, look, succeed, fail, again, clean := st[0], st[1], st[2], st[3], st[4], st[5], st[6]
	changed := func(want int64, query string, args ...any) {
		t.Helper()
		res, err := db.ExecContext(t.Context(), query, args...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if n, err := res.RowsAffected(); err != nil || n != want {
			t.Errorf("%s changed %d rows, want %d (%v)", query, n, want, err)
		}
	}
	status := func(key string) (s string) {
		t.Helper()
		var reference string
		var id, failure sql.NullString
		var transient bool
		if err := db.QueryRowContext(t.Context(), look, key).Scan(&s, &reference, &id, &failure, &transient); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 2 { // the table is made only where it is not there
		if _, err := db.ExecContext(t.Context(), create); err != nil {
			t.Fatal(err)
		}
	}
	changed(1, claim, "order-42:charge", "ORD-42")
	changed(0, claim, "order-42:charge", "ORD-42") // the second write is refused
	if s := status("order-42:charge"); s != "pending" {
		t.Error(s)
	}
	changed(1, succeed, "order-42:charge", "ch_1")
	changed(0, succeed, "order-42:charge", "ch_2")
	changed(0, fail, "order-42:charge", "late", true)
	changed(0, again, "order-42:charge")
	changed(1, claim, "order-43:charge", "ORD-43")
	changed(1, fail, "order-43:charge", "503", true)
	changed(1, again, "order-43:charge")
	changed(0, again, "order-43:charge") // one of two attempts takes it up
	changed(1, fail, "order-43:charge", "declined", false)
	changed(0, again, "order-43:charge") // terminal
	changed(1, claim, "order-44:charge", "ORD-44")
	if _, err := db.ExecContext(t.Context(), "UPDATE intent_record SET changed_at = datetime('now', '-91 days')"); err != nil {
		t.Fatal(err)
	}
	changed(2, clean)
	if s := status("order-44:charge"); s != "pending" {
		t.Error("the scheduled job deleted a pending record")
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO intent_record (key, status, reference) VALUES ('x', 'perhaps', 'r')"); err == nil {
		t.Error("a status that is none was taken")
	}
}

// TestRecordInPostgres executes the snippet on a server, through psql: what each
// statement changed is in its command tag.
func TestRecordInPostgres(t *testing.T) {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./keys")
	}
	st := statements(t, "testdata/record/postgres.sql")
	var b strings.Builder
	b.WriteString("CREATE TEMPORARY TABLE hidden (x int);\nSET search_path = pg_temp;\n" + st[0] + ";\n")
	for i, name := range []string{"claim", "look", "succeed", "fail", "again", "clean"} {
		b.WriteString("PREPARE " + name + " AS " + st[i+1] + ";\n")
	}
	b.WriteString("\\echo begin\nEXECUTE claim('k', 'r');\nEXECUTE claim('k', 'r');\nEXECUTE succeed('k', 'id');\nEXECUTE succeed('k', 'other');\nEXECUTE fail('k', 'late', true);\n" +
		"EXECUTE claim('f', 'r');\nEXECUTE fail('f', '503', true);\nEXECUTE again('f');\nEXECUTE again('f');\nUPDATE intent_record SET changed_at = now() - interval '91 days';\nEXECUTE clean;\n")
	cmd := exec.CommandContext(t.Context(), tool(t, "psql"), "-X", "-v", "ON_ERROR_STOP=1", server)
	cmd.Stdin = strings.NewReader(b.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, tags, _ := strings.Cut(string(out), "begin\n")
	want := "INSERT 0 1|INSERT 0 0|UPDATE 1|UPDATE 0|UPDATE 0|INSERT 0 1|UPDATE 1|UPDATE 1|UPDATE 0|UPDATE 2|DELETE 1"
	if got := strings.Join(strings.Split(strings.TrimSpace(tags), "\n"), "|"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestPostgresLikeSQLite: the two SQL snippets say the same, statement by
// statement.
func TestPostgresLikeSQLite(t *testing.T) {
	normal := strings.NewReplacer("$", "?", "now()", "CURRENT_TIMESTAMP", "timestamptz", "TEXT", "text", "TEXT", "boolean", "INTEGER", "DEFAULT false", "DEFAULT 0",
		"CURRENT_TIMESTAMP - interval '90 days'", "datetime('now', '-90 days')")
	pg, lite := statements(t, "testdata/record/postgres.sql"), statements(t, "testdata/record/sqlite.sql")
	if len(pg) != len(lite) {
		t.Fatalf("%d and %d statements", len(pg), len(lite))
	}
	for i := range pg {
		a, b := strings.Fields(normal.Replace(normal.Replace(pg[i]))), strings.Fields(lite[i])
		if !slices.Equal(a, b) {
			t.Errorf("statement %d:\n%s\n%s", i, a, b)
		}
	}
}
