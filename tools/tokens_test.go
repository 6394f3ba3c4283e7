package tools_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/internal/golden"
)

// A token is taken as 4 bytes of JSON.
const bytesPerToken = 4

// spent is what one tool costs a conversation, in tokens: its definition, which
// every conversation pays, and its example answers, which a call pays.
type spent struct {
	Definition int            `json:"definition"`
	Answers    map[string]int `json:"answers"`
}

// TestTokenBudget compares what every tool costs with the committed snapshot.
// Growth of more than 5 % fails; -update accepts it, which makes it a decision
// that a reviewer sees.
func TestTokenBudget(t *testing.T) {
	answers, _ := talk(t, deps(t, "../examples/runs"), `"method":"tools/list"`)
	now := map[string]spent{}
	for _, tool := range answers[1].Result.Tools {
		b, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		now[tool.Name] = spent{Definition: tokens(len(b)), Answers: exampleAnswers(t, tool.Name)}
	}
	if *golden.Update {
		b, err := json.MarshalIndent(now, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/budget.json", append(b, '\n'))
		return
	}
	var allowed map[string]spent
	if err := json.Unmarshal(readFile(t, "testdata/budget.json"), &allowed); err != nil {
		t.Fatal(err)
	}
	for name, s := range now {
		was, ok := allowed[name]
		if !ok {
			t.Errorf("%s has no budget; run with -update", name)
			continue
		}
		grown(t, name+": definition", was.Definition, s.Definition)
		for answer, n := range s.Answers {
			if before, ok := was.Answers[answer]; !ok {
				t.Errorf("%s: answer %s has no budget; run with -update", name, answer)
			} else {
				grown(t, name+": answer "+answer, before, n)
			}
		}
	}
	for name := range allowed {
		if _, ok := now[name]; !ok {
			t.Errorf("budget.json names %s, which is no tool", name)
		}
	}
}

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

func grown(t *testing.T, what string, before, now int) {
	t.Helper()
	if now*100 > before*105 {
		t.Errorf("%s grew from %d to %d tokens, more than 5 %%; make it smaller, or accept it with -update", what, before, now)
	}
}

// exampleAnswers are the sizes of a tool's golden answers as an assistant gets
// them, the longer of text and JSON.
func exampleAnswers(t *testing.T, tool string) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	files, err := filepath.Glob(filepath.Join("testdata", strings.TrimPrefix(tool, "idem_"), "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		in := archive(t, path)
		if _, shell := in["shell"]; shell || in["answer.json"] == "" {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(in["answer.json"]), &v); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		sizes[strings.TrimSuffix(filepath.Base(path), ".txtar")] = tokens(max(len(b), len(in["text"])))
	}
	if len(sizes) == 0 {
		t.Errorf("%s has no example answer", tool)
	}
	return sizes
}
