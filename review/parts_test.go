package review_test

import (
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/review"
)

// TestGoTypeOverFiles: a Go type's fields, its methods and what registers them
// stand in files of their own.
func TestGoTypeOverFiles(t *testing.T) {
	const wf = "package shop\n\nimport \"github.com/dapr/durabletask-go/workflow\"\n\n"
	res := run(t, fstest.MapFS{
		"shop/type.go":     text("package shop\n\nimport \"net/http\"\n\ntype Shop struct{ http *http.Client }\n"),
		"shop/register.go": text(wf + "func (s *Shop) register(r *workflow.Registry) error { return r.AddActivityN(\"Charge\", s.Charge) }\n"),
		"shop/charge.go": text(wf + "import \"net/http\"\n\nfunc (s *Shop) Charge(ctx workflow.ActivityContext) (any, error) {\n\treq, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, \"https://api.pay.example/v1/payments\", nil)\n" +
			"\tif err != nil {\n\t\treturn nil, err\n\t}\n\t_, err = s.http.Do(req)\n\treturn nil, err\n}\n"),
		"other/type.go": text(wf + "type Shop struct{}\n\nfunc (s *Shop) Charge(ctx workflow.ActivityContext) (any, error) { return nil, nil }\n"), // another package's
	})
	if len(res.Activities) != 1 || res.Activities[0].File != "shop/charge.go" || res.Activities[0].Verdict != review.Hazard {
		t.Errorf("want one activity, Charge, a hazard: %+v", res.Activities)
	}
}
