package review_test

import (
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

const folderJS = "const sgMail = require('@sendgrid/mail');\nmodule.exports = async function (context, to) {\n  await sgMail.send({ to, subject: 'hello' });\n};\n"

// TestFolderFunctions holds the older form of Azure Functions: the folder is the
// name, function.json the trigger.
func TestFolderFunctions(t *testing.T) {
	binding := text(`{"bindings": [{"name": "name", "type": "activityTrigger", "direction": "in"}]}`)
	http := text(`{"bindings": [{"name": "req", "type": "httpTrigger", "direction": "in"}]}`)
	res := run(t, fstest.MapFS{
		"tell/index.js": text(folderJS), "tell/function.json": binding,
		"serve/index.js": text(folderJS), "serve/function.json": http,
		"greet/index.ts":       text("const activity: AzureFunction = async function (context: Context): Promise<string> {\n  return `Hello ${context.bindings.name}!`;\n};\nexport default activity;\n"),
		"greet/function.json":  binding,
		"count/__init__.py":    text("def main(name: str) -> str:\n    return name\n"),
		"count/function.json":  binding,
		"broken/index.js":      text(folderJS),
		"broken/function.json": text("{"),
	})
	got := map[string]review.Severity{}
	for _, a := range res.Activities {
		got[a.Name] = a.Verdict
	}
	if len(got) != 3 || got["tell"] != "hazard" || got["greet"] != "safe" || got["count"] != "safe" {
		t.Errorf("got %v", got)
	}
}

// TestFolderNamed holds that a file without a trigger is found by the name of
// its folder when it is asked for.
func TestFolderNamed(t *testing.T) {
	res, err := review.Review(t.Context(), review.Config{Files: fstest.MapFS{"tell/index.js": text(folderJS)}, Symbols: []string{"tell"}, Languages: lang.All(), Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Activities) != 1 || res.Activities[0].Symbol != "tell" || res.Activities[0].Verdict != "hazard" {
		t.Errorf("got %+v", res.Activities)
	}
}

// TestVerdicts holds facts that single calls depend on.
func TestVerdicts(t *testing.T) {
	const goHead = "package app\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"net/http\"\n\t\"os\"\n\n\t\"go.temporal.io/sdk/worker\"\n)\n\nfunc start(w worker.Worker) { w.RegisterActivity(Act) }\n\n"
	tests := []struct {
		name  string
		files fstest.MapFS
		want  review.Severity
	}{
		{"an encoder over a file that was read", fstest.MapFS{"a.go": text(goHead + "func Act(ctx context.Context, n int) error {\n\tb, _ := os.ReadFile(\"stock\")\n\tvar stock int\n\tjson.Unmarshal(b, &stock)\n\tf, _ := os.OpenFile(\"stock\", os.O_WRONLY|os.O_TRUNC, 0o644)\n\treturn json.NewEncoder(f).Encode(stock - n)\n}\n")}, "hazard"},
		{"an encoder over an answer", fstest.MapFS{"a.go": text(goHead + "func Act(ctx context.Context, w http.ResponseWriter) error {\n\treturn json.NewEncoder(w).Encode(1)\n}\n")}, "safe"},
		{"a handler in another package that sets by key", fstest.MapFS{
			"a.go":          text(goHead + "func Act(ctx context.Context, host string) error {\n\t_, err := http.Post(host+\"/stock/release\", \"application/json\", nil)\n\treturn err\n}\n"),
			"srv/main.go":   text("package srv\n\nfunc routes(mx *http.ServeMux, s *rest.Server) { mx.HandleFunc(\"POST /stock/release\", s.Release) }\n"),
			"rest/serve.go": text("package rest\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\ntype Server struct{}\n\nfunc (s *Server) Release(w http.ResponseWriter, r *http.Request) { os.WriteFile(\"released\", nil, 0o644) }\n"),
		}, "safe"},
		{"a model server by its path", fstest.MapFS{"a.go": text(goHead + "func Act(ctx context.Context, host string) error {\n\t_, err := http.Post(host+\"/api/embed\", \"application/json\", nil)\n\treturn err\n}\n")}, "safe"},
		{"a module variable seen twice", fstest.MapFS{"a.ts": text("import { proxyActivities } from '@temporalio/workflow';\nconst db = new Map<string, number>();\nexport async function act(id: string, n: number): Promise<void> {\n  const have = db.get(id) || 0;\n  if (have < n) return;\n  const now = db.get(id)!;\n  db.set(id, now - n);\n}\nconst { act: a } = proxyActivities<{ act(id: string): void }>({});\n")}, "hazard"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := review.Review(t.Context(), review.Config{Files: tt.files, Symbols: []string{"Act", "act"}, Languages: lang.All(), Rules: rules.All()})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Activities) == 0 || res.Activities[0].Verdict != tt.want {
				t.Errorf("got %+v, want %s", res.Activities, tt.want)
			}
		})
	}
}
