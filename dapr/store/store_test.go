package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/dapr/store"
)

func TestParseKey(t *testing.T) {
	for key, want := range map[string]string{
		"orders||dapr.internal.default.orders.workflow||run-1||metadata":            "default orders run-1 metadata 0",
		"orders||dapr.internal.default.orders.workflow||run-1||history-000017":      "default orders run-1 history 17",
		"orders||dapr.internal.default.orders.workflow||run-1||history-1000000":     "default orders run-1 history 1000000",
		"orders||dapr.internal.default.orders.workflow||run-1||customStatus":        "default orders run-1 status 0",
		"orders||dapr.internal.default.orders.workflow||run-1||inbox-000001":        "default orders run-1 other 0",
		"orders||dapr.internal.default.orders.workflow||run-1||wf-history-000001":   "default orders run-1 other 0",
		"orders||dapr.internal.default.orders.workflow||run-1||history-":            "default orders run-1 other 0",
		"orders||dapr.internal.default.orders.workflow||run-1||history--00001":      "default orders run-1 other 0",
		"orders||dapr.internal.default.orders.workflow||run-1||history-99999999999": "default orders run-1 other 0",
		"dapr.internal.default.orders.workflow||run-1||metadata":                    "default orders run-1 metadata 0", // keyPrefix: none
		"mystore||dapr.internal.default.orders.workflow||run-1||metadata":           "default orders run-1 metadata 0", // keyPrefix: name
		"prod.orders||dapr.internal.prod.orders.workflow||run-1||metadata":          "prod orders run-1 metadata 0",    // keyPrefix: namespace
		"a.b||dapr.internal.default.a.b.workflow||run-1||metadata":                  "default a.b run-1 metadata 0",
		"x||dapr.internal.default.a.b.workflow||run-1||metadata":                    "default a.b run-1 metadata 0",
		"orders||dapr.internal.default.orders.workflow||a||b||metadata":             "default orders a||b metadata 0",
		"orders||dapr.internal.default.orders.workflow||dapr.internal.x||metadata":  "default orders dapr.internal.x metadata 0",
		"orders||dapr.internal.prj-165.orders.workflow||run-1||metadata":            "prj-165 orders run-1 metadata 0",
		"orders||dapr.internal.default.orders.activity||run-1::0::1||activityState": "no",
		"orders||cart-1":         "no",
		"metadata":               "no",
		"||metadata":             "no",
		"":                       "no",
		"dapr.internal.workflow": "no",
		"a||dapr.internal.default.workflow||x||metadata":       "no",
		"a||dapr.internal.default.orders.workflow||||metadata": "no",
		"a||dapr.internal..orders.workflow||x||metadata":       "no",
		"a||dapr.internal.default..workflow||x||metadata":      "no",
		"adapr.internal.default.orders.workflow||x||metadata":  "no",
	} {
		name, role, index, ok := store.ParseKey(key)
		got := "no"
		if ok {
			roles := map[store.Role]string{store.RoleMetadata: "metadata", store.RoleHistory: "history", store.RoleStatus: "status", store.RoleOther: "other"}
			got = strings.Join([]string{name.Namespace, name.App, name.Instance, roles[role], itoa(index)}, " ")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
		if l, r, i := store.SplitKey(key); ok && (l != name.Location() || r != role || i != index) {
			t.Errorf("%q: SplitKey disagrees", key)
		}
	}
}

func itoa(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return itoa(n/10) + itoa(n%10)
}

// FuzzParseKey: whatever a key is, its location parses to the same run, and a
// history key made of it comes back.
func FuzzParseKey(f *testing.F) {
	f.Add("orders||dapr.internal.default.orders.workflow||run-1||metadata")
	f.Add("dapr.internal.default.a.b.workflow||a||b||history-000001")
	f.Add("||||dapr.internal.")
	f.Fuzz(func(t *testing.T, key string) {
		name, _, _, ok := store.ParseKey(key)
		if !ok {
			return
		}
		if !strings.HasPrefix(key, name.Location()) || name.App == "" || name.Namespace == "" || name.Instance == "" {
			t.Fatalf("%q: %+v", key, name)
		}
		again, ok := store.ParseLocation(name.Location())
		if !ok || again != name {
			t.Fatalf("%q: %+v, then %+v", key, name, again)
		}
		l, role, i := store.SplitKey(store.HistoryKey(name.Location(), 42))
		if l != name.Location() || role != store.RoleHistory || i != 42 {
			t.Fatalf("%q: %q %v %d", key, l, role, i)
		}
	})
}

// TestNoWriteCommand reads the source of every store: no string in it is a
// writing SQL statement, and no call is to a writing method of a driver.
func TestNoWriteCommand(t *testing.T) {
	statement := regexp.MustCompile(`(?i)\b(INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX|TEMP)|ALTER\s+\w|DROP\s+\w|TRUNCATE|VACUUM|REINDEX|ATTACH|COPY\s+\S+\s+(FROM|TO)\b|MERGE\s+INTO|GRANT\s+\w+\s+ON|LOCK\s+TABLE|NOTIFY\s+\w|nextval|setval|pg_advisory|FOR\s+(UPDATE|SHARE))`)
	method := regexp.MustCompile(`^(Exec|ExecContext|CopyFrom|Set|SetNX|SetEx|HSet|HMSet|HDel|Del|Unlink|Expire|Persist|Incr|Decr|Append|Rename|Move|Copy|Eval|EvalSha|Script\w*|Flush\w*|LPush|RPush|SAdd|ZAdd|XAdd|Publish|Do|Process|Restore|Migrate|Config\w*|Shutdown)$`)
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.STRING && statement.MatchString(n.Value) {
					t.Errorf("%s: %s", set.Position(n.Pos()), n.Value)
				}
			case *ast.CallExpr:
				// Pipeline.Exec sends what was queued; what can be queued is held
				// by the client's list of reads.
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && method.MatchString(s.Sel.Name) && !(s.Sel.Name == "Exec" && strings.HasPrefix(path, "redis")) {
					t.Errorf("%s: call of %s", set.Position(n.Pos()), s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files read: %v", files, err)
	}
}
