package review

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// A baseline is the findings that a team has accepted for now, as a file in its
// repository: JSON with one finding after the other, sorted by what does not
// move, so that a change of it can be read in a review. It holds no line numbers
// and no times.
type baseline struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Findings []record `json:"findings"`
}

// record is one accepted finding. The fingerprint identifies it, severity tells
// when it became graver, and the rest is for the reader.
type record struct {
	Activity    string   `json:"activity"`
	Rule        string   `json:"rule"`
	Slug        string   `json:"slug"`
	Severity    Severity `json:"severity"`
	File        string   `json:"file"`
	Quote       string   `json:"quote"`
	Fingerprint string   `json:"fingerprint"`
}

const (
	// BaselineFormat is what a baseline file says it is.
	BaselineFormat  = "idem-mcp review baseline"
	baselineVersion = 1
	// MaxBaseline is the largest baseline that is read, in bytes.
	MaxBaseline = 16 << 20
)

var fingerprint = regexp.MustCompile(`^[0-9a-f]{16}$`)

// WriteBaseline is the baseline file of findings.
func WriteBaseline(findings []Identified) ([]byte, error) {
	b := baseline{Format: BaselineFormat, Version: baselineVersion, Findings: []record{}}
	for _, f := range findings {
		b.Findings = append(b.Findings, record{f.Activity, f.Rule, f.Slug, f.Severity, f.File, f.Quote, f.Fingerprint})
	}
	slices.SortFunc(b.Findings, func(x, y record) int {
		return cmp.Or(cmp.Compare(x.Activity, y.Activity), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Quote, y.Quote), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // source text is quoted in it
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		return nil, fmt.Errorf("encode the baseline: %w", err)
	}
	return out.Bytes(), nil
}

// ReadBaseline reads a baseline file; name is for errors.
func ReadBaseline(name string, text []byte) ([]Identified, error) {
	name = clean.Line(name, 200)
	bad := func(kind fault.Kind, what, do string, cause error) error {
		return &fault.Error{Kind: kind, What: what, Means: "nothing was compared", Do: do, Cause: cause}
	}
	const anew = "Write it anew: --write-baseline "
	if len(text) > MaxBaseline {
		return nil, bad(fault.TooLarge, fmt.Sprintf("%s is larger than %d MB", name, MaxBaseline>>20), anew+name, nil)
	}
	var kind struct {
		Format  any `json:"format"`
		Version any `json:"version"`
	}
	switch err := json.Unmarshal(text, &kind); {
	case !bytes.Contains(text, []byte(BaselineFormat)) || err == nil && kind.Format != BaselineFormat:
		return nil, bad(fault.BadInput, name+" is no baseline of idem-mcp review", "Name another file; --write-baseline FILE writes one", nil)
	case bytes.Contains(text, []byte("\n<<<<<<< ")):
		return nil, bad(fault.Damaged, name+" holds the marks of a merge conflict", "Keep the findings of both sides, or write it anew: --write-baseline "+name, nil)
	case err != nil:
		return nil, bad(fault.Damaged, name+" cannot be read as a baseline", "Restore it from version control, or write it anew: --write-baseline "+name, cleaned(err))
	case kind.Version != float64(baselineVersion):
		return nil, bad(fault.Unsupported, fmt.Sprintf("%s has version %v, and this idem-mcp reads version %d", name, clean.Line(fmt.Sprint(kind.Version), 40), baselineVersion), "Update idem-mcp, or write the baseline anew: --write-baseline "+name, nil)
	}
	var b baseline
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&b)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after its end")
		}
	}
	out := make([]Identified, len(b.Findings))
	for i, r := range b.Findings {
		if err == nil && (!fingerprint.MatchString(r.Fingerprint) || r.Rule == "" || !slices.Contains([]Severity{Hazard, Verify, Advice}, r.Severity)) {
			err = fmt.Errorf("finding %d has no proper rule, severity or fingerprint", i+1)
		}
		out[i] = Identified{Finding: Finding{Rule: r.Rule, Slug: r.Slug, Severity: r.Severity, File: r.File, Quote: r.Quote}, Activity: r.Activity, Fingerprint: r.Fingerprint}
	}
	if err != nil {
		return nil, bad(fault.Damaged, name+" is damaged", "Restore it from version control, or write it anew: --write-baseline "+name, cleaned(err))
	}
	return out, nil
}

func cleaned(err error) error { return errors.New(clean.Line(err.Error(), 300)) }
