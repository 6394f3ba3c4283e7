package store

import (
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// toRun makes a run of its rows. What is missing or disagrees goes into the
// run's coverage; only a history none of whose events can be read is an error.
func toRun(g *Group, name Name, o history.Options, sharing *history.Sharing) (*history.Run, error) {
	o.Ref.App, o.Ref.Instance, o.Ref.Location = name.App, name.Instance, name.Location()
	run, err := history.ReadProto(presentRows(g), o)
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Damaged, What: "read run " + clean.Line(name.Instance, 200),
			Means: "its rows are in the store but cannot be decoded",
			Do:    "Read it through the sidecar, or export it with dapr workflow history", Cause: err,
		}
	}
	run.Shape = history.ShapeStateStore
	run.Carries.Generation = true
	run.HistoryLen = len(g.History)
	if !g.Moving && len(g.Damage) == 0 {
		run.Mark = clean.Line(g.Mark, maxMark)
	}
	cover(run, g)
	run.CustomStatus = status(run, g, o, sharing)
	return run, nil
}

// presentRows yields the rows that are there, in stored order.
func presentRows(g *Group) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, row := range g.History {
			if row != nil && !yield(row, nil) {
				return
			}
		}
	}
}

// cover compares the rows with the metadata row.
func cover(run *history.Run, g *Group) {
	c := &run.Coverage
	c.Read = len(run.Events)
	c.Asked = len(g.History)
	miss := func(format string, args ...any) { c.Missing = append(c.Missing, fmt.Sprintf(format, args...)) }
	c.Missing = append(c.Missing, g.Damage...)
	m, err := history.ParseStoreMetadata(g.Metadata)
	switch {
	case g.Metadata == nil:
		run.Carries.Generation = false
		miss("the run has no metadata row, so neither its length nor its generation is known")
	case err != nil || m.HistoryLength > MaxEvents:
		run.Carries.Generation = false
		miss("the metadata row cannot be read, so neither the run's length nor its generation is known")
	default:
		run.Generation = int64(m.Generation)
		run.HistoryLen = int(m.HistoryLength)
		c.Asked = int(m.HistoryLength)
		if extra := len(g.History) - c.Asked; extra > 0 {
			miss("%d history rows beyond the %d that the metadata row names: the run is being written, or was written by something else", extra, c.Asked)
		}
		if m.Generation > 1 {
			miss("this is generation %d: the events of earlier ones (continued as new, or the id used again) are not kept", m.Generation)
		}
	}
	if gaps := gaps(g, c.Asked); gaps != "" {
		miss("%s", gaps)
		// The rows that are gone may hold the end.
		if !run.Status.Ended() {
			run.Status = history.StatusUnknown
		}
	}
	if g.Moving {
		miss("the run was written to while it was read; read it again for its latest events")
	}
}

// gaps names the missing rows among the first want, the first few by position.
func gaps(g *Group, want int) string {
	var at []string
	n := 0
	for i := range want {
		if i < len(g.History) && g.History[i] != nil {
			continue
		}
		if n++; n <= 5 {
			at = append(at, fmt.Sprintf("history-%06d", i))
		}
	}
	if n == 0 {
		return ""
	}
	more := ""
	if n > len(at) {
		more = ", …"
	}
	return fmt.Sprintf("%d of %d history rows are not in the store (%s%s)", n, want, strings.Join(at, ", "), more)
}

// status is the custom status as a payload; its bytes are looked at only at
// level full.
func status(run *history.Run, g *Group, o history.Options, sharing *history.Sharing) history.Payload {
	switch {
	case g.Status == nil:
		return history.Payload{}
	case len(g.Status) == 0:
		return history.EmptyPayload()
	case o.Sharing.Level != history.LevelFull:
		return history.WithheldPayload(sharing)
	}
	s, err := customStatus(g.Status)
	switch {
	case err != nil:
		run.Coverage.Missing = append(run.Coverage.Missing, "the custom status cannot be read: "+clean.Line(err.Error(), 120))
		return history.Payload{}
	case s == "":
		return history.EmptyPayload()
	}
	return history.SharedPayload(s)
}
