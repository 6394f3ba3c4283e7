package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Result is the answer for a set of files.
type Result struct {
	Activities []ActivityResult `json:"activities"`
	// Workflows are those in whose own body something was found: they are
	// replayed, so other rules hold there.
	Workflows    []WorkflowResult `json:"workflows,omitempty"`
	Suppressions []Suppression    `json:"suppressions"`
	Skipped      []Skipped        `json:"skipped"`
	Files        int              `json:"files"`       // files read
	NotVisible   []string         `json:"not_visible"` // what could not be looked at, and why
	Silenced     []Silenced       `json:"-"`           // for reports that list them
}

// ActivityResult is the answer for one activity.
type ActivityResult struct {
	Name      string         `json:"name"`
	Symbol    string         `json:"symbol"`
	File      string         `json:"file"`
	Line      int            `json:"line"`
	EndLine   int            `json:"end_line"`
	Language  string         `json:"language"`
	Framework string         `json:"framework"`
	Verdict   Severity       `json:"verdict"` // hazard, verify or safe
	Effects   []EffectResult `json:"effects"`
	Keys      []KeyResult    `json:"keys"`
	CallSites []CallSite     `json:"call_sites"`
	Findings  []Finding      `json:"findings"`
	Bodies    []Body         `json:"-"` // for comparisons

	// InputIDs are the fields of the input that look like the id of one operation.
	InputIDs []string `json:"-"`
}

// Silenced is a finding of an activity or workflow that an idem:ignore comment
// silences.
type Silenced struct {
	Finding
	Owner, Reason string
}

// Safe is the verdict when nothing was found.
const Safe Severity = "safe"

// EffectResult is one effect, in the order a run meets them.
type EffectResult struct {
	Class    string `json:"class"`
	Callee   string `json:"callee"`
	Resource string `json:"resource,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Quote    string `json:"quote"`
	Guard    string `json:"guard,omitempty"`
	Key      string `json:"key,omitempty"`
	Path     []Site `json:"path,omitempty"`

	Acts     bool                `json:"-"` // it changes something outside
	KeyGiven bool                `json:"-"` // the other side is given a key, whatever it is worth
	Keyed    bool                `json:"-"` // that key is stable and distinct
	Provider *knowledge.Provider `json:"-"` // what the other side offers, nil if not known
}

// KeyResult is a key in the body and where it comes from.
type KeyResult struct {
	Name   string   `json:"name"`
	Origin []string `json:"origin"`
	Stable bool     `json:"stable"`
	Note   string   `json:"note,omitempty"` // what the SDK's task execution id is worth, where the key is made of it
	Line   int      `json:"line"`
}

// Finding is one thing found.
type Finding struct {
	Rule       string     `json:"rule"`
	Slug       string     `json:"slug"`
	Kind       string     `json:"kind"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	File       string     `json:"file"`
	Line       int        `json:"line"`
	EndLine    int        `json:"end_line"`
	Quote      string     `json:"quote"`
	Message    string     `json:"message"`
	Fix        string     `json:"fix"`
	Path       []Site     `json:"path,omitempty"`
}

// Skipped is a file that was not reviewed.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// OnPurpose reports whether the reason for skipping a file is that it is nobody's
// source; any other reason is a gap in the answer.
func OnPurpose(reason string) bool {
	for _, word := range [...]string{"vendored", "generated", "ignored", "version control"} {
		if strings.Contains(reason, word) {
			return true
		}
	}
	return false
}

// WorkflowResult is what was found in the body of one workflow.
type WorkflowResult struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Language string    `json:"language"`
	Findings []Finding `json:"findings"`
	Bodies   []Body    `json:"-"`
}

// Findings lists the findings of activities and workflows.
func (r *Result) Findings() []Finding {
	var out []Finding
	for i := range r.Activities {
		out = append(out, r.Activities[i].Findings...)
	}
	for i := range r.Workflows {
		out = append(out, r.Workflows[i].Findings...)
	}
	return out
}
