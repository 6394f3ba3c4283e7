package lab

import (
	"fmt"
	"math/rand/v2"

	"github.com/dapr/durabletask-go/api/protos"

	"github.com/idem-mcp/idem-mcp/history"
)

// Shape is the form of a workflow.
type Shape string

// shape is a workflow with the range of its scripts.
type shape struct {
	name     Shape
	body     func(flow) error
	calls    [2]int                            // least and most
	fails    [2]int                            // least and most
	rejected bool                              // the failures are refusals
	inferred bool                              // attempts are linked by a pattern, not by an id
	holds    bool                              // its last body never ends
	poke     poke                              // what is done to the run from outside
	reached  func([]*protos.HistoryEvent) bool // where the lab stops waiting; nil: the run's end
}

// poke is what a client does to a run.
type poke uint8

const (
	leave     poke = iota
	raise          // raise goEvent at once
	terminate      // terminate the run once reached
)

var shapes = [...]shape{
	{name: "sequence", body: sequence, calls: [2]int{1, 4}},
	{name: "fan-out", body: fanOut, calls: [2]int{2, 5}},
	{name: "identical fan-out", body: identicalFanOut, calls: [2]int{2, 4}},
	{name: "loop on purpose", body: loop, calls: [2]int{2, 4}},
	{name: "retry policy", body: retry, fails: [2]int{1, 4}},
	{name: "retries exhausted", body: exhausted, fails: [2]int{2, 4}},
	{name: "fan-out with retries", body: retriedFanOut, calls: [2]int{2, 3}, fails: [2]int{1, 2}},
	{name: "rejection retried", body: exhausted, fails: [2]int{2, 4}, rejected: true},
	{name: "hand-written retries", body: handLoop, inferred: true, fails: [2]int{1, 3}},
	{name: "child retried", body: childRetry, fails: [2]int{1, 2}},
	{name: "external event", body: externalEvent, poke: raise},
	{name: "continue as new", body: continueAsNew, calls: [2]int{2, 4}},
	{name: "failure", body: failure, fails: [2]int{1, 1}},
	{name: "terminated", body: terminated, poke: terminate, reached: resolved(1)},
	{name: "unfinished", body: unfinished, holds: true, reached: scheduled(2)},
	{name: "retry pending", body: retryPending, fails: [2]int{1, 1}, reached: resolved(1)},
}

// FaultKind is what goes wrong at a seam.
type FaultKind string

// The faults. Those of an activity strike a delivery, those of a commit strike a
// turn that schedules activities.
const (
	NoFault           FaultKind = "none"
	DeliveredTwice    FaultKind = "work item delivered twice"
	ResultDropped     FaultKind = "result dropped, delivered again"
	ResultTwice       FaultKind = "result delivered twice"
	ResultDelayed     FaultKind = "result delayed"
	WorkerLost        FaultKind = "worker lost after the body"
	CommitFailed      FaultKind = "commit failed, nothing dispatched"
	CommitAmbiguous   FaultKind = "commit written, reported as failed"
	CommitLostEarly   FaultKind = "commit lost, result before the re-run"
	CommitLostBetween FaultKind = "commit lost, result after the re-run"
	CommitLostLate    FaultKind = "commit lost, result after the second"
)

var faultKinds = [...]FaultKind{NoFault, DeliveredTwice, ResultDropped, ResultTwice, ResultDelayed, WorkerLost,
	CommitFailed, CommitAmbiguous, CommitLostEarly, CommitLostBetween, CommitLostLate}

// ofCommit reports whether the fault strikes a turn's commit.
func (k FaultKind) ofCommit() bool {
	switch k {
	case CommitFailed, CommitAmbiguous, CommitLostEarly, CommitLostBetween, CommitLostLate:
		return true
	}
	return false
}

// Plan is one run of the lab.
type Plan struct {
	Instance string
	Script   Script
	Fault    FaultKind
	At       int // which delivery or commit of the run the fault strikes, from 0
	// Retried is the finding that the script's failures must lead to.
	Retried history.FindingKind
}

// words are what failing bodies say, and what a retry after them must be
// reported as.
var words = [...]struct {
	text string
	kind history.FindingKind
}{
	{"dial tcp 10.0.0.7:443: connect: connection refused", history.Retried},
	{"Post https://pay.example/charges: context deadline exceeded", history.RetriedUnknownOutcome},
	{"read tcp 10.0.0.7:443: read: connection reset by peer", history.RetriedUnknownOutcome},
	{"503 Service Unavailable", history.RetriedUnknownOutcome},
	{"something went wrong", history.Retried},
}

const rejection = "validation failed: amount must be positive"

// Matrix plans every shape with every fault. Where a shape makes further
// attempts, the fault strikes the first turn of one run and the second of
// another.
func Matrix(seed uint64) []Plan {
	rng := rand.New(rand.NewPCG(seed, 0))
	var out []Plan
	for i := range shapes {
		s := &shapes[i]
		for _, k := range faultKinds {
			out = append(out, plan(rng, s, k, 0, len(out)))
			if k.ofCommit() && s.fails[1] > 1 {
				out = append(out, plan(rng, s, k, 1, len(out)))
			}
		}
	}
	return out
}

// Random plans n runs: shapes, faults and where they strike as the seed has it.
func Random(seed uint64, n int) []Plan {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []Plan
	for i := range n {
		out = append(out, plan(rng, &shapes[rng.IntN(len(shapes))], faultKinds[rng.IntN(len(faultKinds))], rng.IntN(3), i))
	}
	return out
}

func plan(rng *rand.Rand, s *shape, k FaultKind, at, i int) Plan {
	w := words[rng.IntN(len(words))]
	p := Plan{
		Instance: fmt.Sprintf("run-%04d", i), Fault: k, At: at, Retried: w.kind,
		Script: Script{Shape: s.name, Calls: between(rng, s.calls), Fails: between(rng, s.fails), Words: w.text, Applied: rng.IntN(2) == 0},
	}
	if s.holds {
		p.At = 0 // what waits for a body must not wait for that one
	}
	if s.rejected {
		p.Script.Words, p.Script.Applied, p.Retried = rejection, false, history.RejectionRetried
	}
	return p
}

func between(rng *rand.Rand, r [2]int) int { return r[0] + rng.IntN(r[1]-r[0]+1) }

// shape finds the plan's shape.
func (p Plan) shape() *shape {
	for i := range shapes {
		if shapes[i].name == p.Script.Shape {
			return &shapes[i]
		}
	}
	return nil
}

// ended: the run has ended.
func ended(events []*protos.HistoryEvent) bool {
	return has(events, 1, func(e *protos.HistoryEvent) bool { return e.GetExecutionCompleted() != nil })
}

// resolved: n results are stored.
func resolved(n int) func([]*protos.HistoryEvent) bool {
	return func(events []*protos.HistoryEvent) bool {
		return has(events, n, func(e *protos.HistoryEvent) bool { return e.GetTaskCompleted() != nil || e.GetTaskFailed() != nil })
	}
}

// scheduled: n activities are scheduled.
func scheduled(n int) func([]*protos.HistoryEvent) bool {
	return func(events []*protos.HistoryEvent) bool {
		return has(events, n, func(e *protos.HistoryEvent) bool { return e.GetTaskScheduled() != nil })
	}
}

func has(events []*protos.HistoryEvent, n int, is func(*protos.HistoryEvent) bool) bool {
	for _, e := range events {
		if is(e) {
			n--
		}
	}
	return n <= 0
}
