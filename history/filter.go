package history

import (
	"slices"
	"strings"
)

// Match reports whether a run with header h passes the filter. Cursor is not
// looked at: where a listing continues is the source's business. A run whose
// creation time is not known passes no time bound, since it cannot be shown to
// lie inside.
func (f Filter) Match(h Header) bool {
	switch {
	case f.App != "" && f.App != h.Ref.App:
		return false
	case f.Workflow != "" && f.Workflow != h.Workflow:
		return false
	case len(f.Status) > 0 && !slices.Contains(f.Status, h.Status):
		return false
	case !f.Since.IsZero() && (h.Created.IsZero() || h.Created.Before(f.Since)):
		return false
	case !f.Until.IsZero() && (h.Created.IsZero() || !h.Created.Before(f.Until)):
		return false
	}
	return f.Text == "" || containsFold(h.Ref.Instance, f.Text) || containsFold(h.Workflow, f.Text)
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

// Cursor is the text that continues a listing after the run (Filter.Cursor):
// its location where the source has one, else its instance id.
func (r Ref) Cursor() string {
	if r.Location != "" {
		return r.Location
	}
	return r.Instance
}
