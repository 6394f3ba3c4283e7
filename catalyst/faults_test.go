package catalyst_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

const getRun = "catalyst_get_workflow_run"

// TestServerFaults: each fault is a typed error within the time limit, or is
// overcome where trying again helps; never an empty answer.
func TestServerFaults(t *testing.T) {
	for _, tt := range []struct {
		kind  string
		times int
		want  fault.Kind // Unknown: overcome
		says  string
	}{
		{"429", 2, fault.Unknown, ""},
		{"502", 2, fault.Unknown, ""},
		{"503", 1, fault.Unknown, ""},
		{"504", 1, fault.Unknown, ""},
		{"reset", 1, fault.Unknown, ""},
		{"503", 0, fault.Unreachable, "answered 503"},
		{"500", 0, fault.Unreachable, "answered 500"},
		{"reset", 0, fault.Unreachable, "ask Catalyst at"},
		{"403", 0, fault.Forbidden, "403"},
		{"half", 0, fault.Unreachable, "broke off"},
		{"html", 0, fault.Damaged, "web page"},
		{"redirect", 0, fault.Damaged, "not followed"},
		{"slow", 0, fault.Unreachable, "no answer within"},
		{"huge", 0, fault.TooLarge, "more than 1 MB"},
		{"echo", 0, fault.Damaged, ""},
	} {
		for _, where := range []string{getRun, ""} {
			t.Run(tt.kind+" "+where, func(t *testing.T) {
				s := start(t, catalysttest.Options{})
				src := signedIn(t, s, func(c *catalyst.Config) {
					c.MaxAnswer = 1 << 20
					if tt.kind == "slow" {
						c.CallTimeout = time.Second
					}
				})
				s.Inject(catalysttest.Fault{Tool: where, Kind: tt.kind, Times: tt.times})
				began := time.Now()
				run, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"})
				if d := time.Since(began); d > 10*time.Second {
					t.Errorf("took %v", d)
				}
				if tt.want == fault.Unknown {
					if err != nil || len(run.Events) != 12 {
						t.Errorf("not overcome: %v", err)
					}
					return
				}
				if fault.KindOf(err) != tt.want || !strings.Contains(err.Error(), tt.says) {
					t.Fatalf("got %v: %v", fault.KindOf(err), err)
				}
				noTokens(t, s, err.Error())
				s.Heal()
				if _, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"}); err != nil {
					t.Errorf("after the fault: %v", err)
				}
			})
		}
	}
}

func noTokens(t *testing.T, s *catalysttest.Server, text string) {
	t.Helper()
	for _, token := range s.Tokens() {
		if strings.Contains(text, token) {
			t.Errorf("a token appears in %q", text)
		}
	}
}

// TestEchoedToken: a server that repeats the token in its answers does not get
// it into ours.
func TestEchoedToken(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "echo-answer"})
	run, err := src.Run(t.Context(), history.Ref{Instance: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	emit(t, &w, run.Header, run)
	noTokens(t, s, w.String())
	if !strings.Contains(w.String(), "header was [token]") {
		t.Errorf("the rest of the answer is gone: %s", w.String())
	}
}

// TestHugeAnswerMemory: 200 MB offered, little taken.
func TestHugeAnswerMemory(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "huge"})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"})
	runtime.ReadMemStats(&after)
	if fault.KindOf(err) != fault.TooLarge {
		t.Errorf("got %v", err)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 120 {
		t.Errorf("%d MB were allocated for an answer bounded at 16 MB", mb)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		kind string
		want fault.Kind
		says string
	}{
		{"NOT_AUTHENTICATED", fault.SignIn, "idem-mcp login"},
		{"NO_ORG", fault.SignIn, "no organization"},
		{"NO_ORGANIZATION", fault.SignIn, "no organization"},
		{"ORG_MISMATCH", fault.Forbidden, "organization Other, the project belongs to " + catalysttest.Organization},
		{"ORG_UNAVAILABLE", fault.Unreachable, "cannot be read now"},
		{"CATALYST_NOT_ENABLED", fault.Unsupported, "does not use Catalyst"},
		{"DATA_SHARING_RESTRICTED", fault.Withheld, "level is metadata"},
		{"denied", fault.Withheld, "policy refuses"},
		{"no-policy", fault.Withheld, "no data-sharing policy"},
		{"unfilterable", fault.TooLarge, "fewer runs"},
	} {
		for _, form := range []string{"text", "structured", "bare"} {
			for _, retryable := range []bool{false, true} {
				s := start(t, catalysttest.Options{})
				src := signedIn(t, s)
				s.Inject(catalysttest.Fault{Tool: getRun, Kind: tt.kind, Form: form, Retryable: retryable})
				_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"})
				if fault.KindOf(err) != tt.want || !strings.Contains(err.Error(), tt.says) || catalyst.RefusalKind(err) != tt.kind {
					t.Errorf("%s as %s: %v: %v", tt.kind, form, fault.KindOf(err), err)
				}
				want := 1
				if retryable && form != "bare" { // a bare string has no flag
					want = 2
				}
				if n := len(s.Calls()); n != want {
					t.Errorf("%s as %s, retryable %t: %d calls, want %d", tt.kind, form, retryable, n, want)
				}
			}
		}
	}
}

// TestAdvice: nothing that a refusal says asks for a higher level or names
// another way to what is withheld.
func TestAdvice(t *testing.T) {
	s := start(t, catalysttest.Options{})
	for _, kind := range []string{"DATA_SHARING_RESTRICTED", "denied", "no-policy"} {
		src := signedIn(t, s)
		s.Inject(catalysttest.Fault{Tool: getRun, Kind: kind, Times: 1})
		_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"})
		var f *fault.Error
		if !errors.As(err, &f) || f.Do != "" {
			t.Errorf("%s advises %q", kind, f.Do)
		}
	}
}

func TestRetriedRefusal(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "ORG_UNAVAILABLE", Retryable: true, Times: 1})
	if _, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"}); err != nil {
		t.Errorf("one retryable refusal: %v", err)
	}
}

// TestNoWorkflowStore: an error is never "no runs".
func TestNoWorkflowStore(t *testing.T) {
	s := start(t, catalysttest.Options{NoWorkflowStore: true})
	src := signedIn(t, s)
	hs, _, err := list(t.Context(), src, history.Filter{})
	if err == nil || len(hs) != 0 || !strings.Contains(err.Error(), "workflow API is not supported") || !strings.Contains(err.Error(), "not the same as nothing being there") {
		t.Errorf("%d runs, %v", len(hs), err)
	}
}

func TestCancelled(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	s.Inject(catalysttest.Fault{Tool: getRun, Kind: "slow"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	_, err := src.Run(ctx, history.Ref{Instance: "s1-01-seq-3"})
	if !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// TestConcurrentReads shares one source among many readers while tokens die.
func TestConcurrentReads(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range 10 {
				if i == 0 && j%3 == 0 {
					s.ExpireTokens()
				}
				if _, err := src.Run(t.Context(), history.Ref{Instance: "s2-04-label-exhausted", App: "orders"}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if st := s.AuthStats(); st.Reused != 0 || st.Rotations == 0 {
		t.Errorf("%+v", st)
	}
}
