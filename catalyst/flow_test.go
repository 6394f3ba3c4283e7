package catalyst_test

import (
	"testing"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
)

func TestSmoke(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	d := src.Describe(t.Context())
	t.Logf("%+v", d)
	hs, n, err := list(t.Context(), src, history.Filter{})
	t.Log(len(hs), n, err)
	for _, h := range hs {
		r, err := src.Run(t.Context(), h.Ref)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%s %v %v %v %v %v", r.Ref.Instance, r.Status, len(r.Events), r.Sharing, r.Input, r.Coverage)
	}
	t.Log(s.Calls())
}
