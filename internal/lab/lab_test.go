package lab_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/lab"
)

func TestX(t *testing.T) {
	plans := lab.Matrix(1)
	if n, _ := strconv.Atoi(os.Getenv("N")); n > 0 {
		plans = lab.Random(uint64(n), n)
	}
	res, err := lab.Run(t.Context(), t.TempDir(), plans)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res {
		for _, l := range []history.Level{history.LevelMetadata, history.LevelFull} {
			v, err := lab.Judge(r, history.Sharing{Level: l, How: "test"})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range v.Problems {
				t.Error(l, r.Plan.Script.Shape, r.Plan.Fault, r.Plan.At, p)
			}
			if l == history.LevelFull {
				v.Problems = nil
				t.Logf("%s %s %d %+v", r.Plan.Script.Shape, r.Plan.Fault, r.Plan.At, v)
			}
		}
	}
}
