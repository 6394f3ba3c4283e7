package review

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
)

// Evaluation is how right the reviewer is on labelled activities.
type Evaluation struct {
	Overall    Figures   `json:"overall"`
	Languages  []Figures `json:"languages"`
	Rules      []Figures `json:"rules"` // by kind: labelled and reported
	Tricky     Figures   `json:"tricky"`
	Misses     []Miss    `json:"misses"`
	Activities int       `json:"activities"`
}

// Figures are counts and what follows from them. A verdict of verify where the
// label is hazard or safe counts half.
type Figures struct {
	Name           string  `json:"name"`
	N              int     `json:"n"`
	TruePositives  float64 `json:"true_positives"`
	FalsePositives float64 `json:"false_positives"`
	FalseNegatives float64 `json:"false_negatives"`
	Precision      Ratio   `json:"precision"`
	Recall         Ratio   `json:"recall"`
	F1             Ratio   `json:"f1"`
}

// Ratio is a share with its 95 % Wilson interval.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Miss is an activity judged otherwise than labelled.
type Miss struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Activity string   `json:"activity"`
	Label    Severity `json:"label"`
	Verdict  Severity `json:"verdict"`
	Missing  []string `json:"missing,omitempty"` // kinds labelled and not reported
	Noise    []string `json:"noise,omitempty"`   // kinds reported and not labelled
	Tricky   bool     `json:"tricky,omitempty"`
}

type label struct {
	line   int
	want   Severity
	kinds  []string
	tricky bool
}

// Evaluate reviews c.Files, whose activities carry labels, and compares. The
// label is the comment before the activity:
//
//	corpus: hazard post_no_key,key_in_body tricky
//
// with the verdict, the kinds of every finding expected, advice too, and
// whether a careful reader could be taken in.
func Evaluate(ctx context.Context, c Config) (Evaluation, error) {
	res, err := Review(ctx, c)
	if err != nil {
		return Evaluation{}, err
	}
	labels := map[string][]label{}
	byLang, byKind := map[string]*Figures{}, map[string]*Figures{}
	ev := Evaluation{Overall: Figures{Name: "overall"}, Tricky: Figures{Name: "tricky"}}
	for _, a := range res.Activities {
		if _, ok := labels[a.File]; !ok {
			if labels[a.File], err = readLabels(c.Files, a.File); err != nil {
				return Evaluation{}, err
			}
		}
		l := labelOf(labels[a.File], a.Line)
		if l == nil {
			return Evaluation{}, fmt.Errorf("evaluate: %s:%d: activity %s has no label", a.File, a.Line, a.Name)
		}
		ev.Activities++
		if byLang[a.Language] == nil {
			byLang[a.Language] = &Figures{Name: a.Language}
		}
		for _, f := range []*Figures{&ev.Overall, byLang[a.Language], &ev.Tricky} {
			if f != &ev.Tricky || l.tricky {
				f.verdict(l.want, a.Verdict)
			}
		}
		m := Miss{File: a.File, Line: a.Line, Activity: a.Name, Label: l.want, Verdict: a.Verdict, Tricky: l.tricky}
		m.kinds(l, a.Findings, byKind)
		if l.want != a.Verdict || len(m.Missing)+len(m.Noise) > 0 {
			ev.Misses = append(ev.Misses, m)
		}
	}
	for file, all := range labels {
		used := 0
		for _, a := range res.Activities {
			if a.File == file {
				used++
			}
		}
		if used != len(all) {
			return Evaluation{}, fmt.Errorf("evaluate: %s: %d labels, %d activities", file, len(all), used)
		}
	}
	ev.Overall.finish()
	ev.Tricky.finish()
	ev.Languages, ev.Rules = finished(byLang), finished(byKind)
	return ev, nil
}

func finished(m map[string]*Figures) []Figures {
	var out []Figures
	for _, k := range slices.Sorted(maps.Keys(m)) {
		m[k].finish()
		out = append(out, *m[k])
	}
	return out
}

func (f *Figures) verdict(want, got Severity) {
	f.N++
	part := func(s Severity) float64 {
		switch s {
		case Hazard:
			return 1
		case Verify:
			return 0.5
		}
		return 0
	}
	switch want {
	case Hazard:
		f.TruePositives += part(got)
		f.FalseNegatives += 1 - part(got)
	case Safe:
		f.FalsePositives += part(got)
	case Verify:
		if got == Hazard {
			f.FalsePositives += 0.5
		} else if got == Safe {
			f.FalseNegatives += 0.5
		}
	}
}

func (m *Miss) kinds(l *label, found []Finding, by map[string]*Figures) {
	at := func(k string) *Figures {
		if by[k] == nil {
			by[k] = &Figures{Name: k}
		}
		return by[k]
	}
	got := map[string]bool{}
	for _, f := range found {
		got[f.Kind] = true
	}
	for _, k := range l.kinds {
		at(k).N++
		if got[k] {
			at(k).TruePositives++
		} else {
			at(k).FalseNegatives++
			m.Missing = append(m.Missing, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if !slices.Contains(l.kinds, k) {
			at(k).FalsePositives++
			m.Noise = append(m.Noise, k)
		}
	}
}

func (f *Figures) finish() {
	f.Precision = wilson(f.TruePositives, f.TruePositives+f.FalsePositives)
	f.Recall = wilson(f.TruePositives, f.TruePositives+f.FalseNegatives)
	f.F1 = wilson(f.TruePositives, f.TruePositives+(f.FalsePositives+f.FalseNegatives)/2)
}

// wilson is k of n with the 95 % score interval; of nothing, everything is
// possible.
func wilson(k, n float64) Ratio {
	if n == 0 {
		return Ratio{Value: 1, Low: 0, High: 1}
	}
	const z = 1.959963984540054
	p := k / n
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Ratio{Value: p, Low: max(0, mid-half), High: min(1, mid+half)}
}

func readLabels(files fs.FS, name string) ([]label, error) {
	src, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var out []label
	for i, line := range strings.Split(string(src), "\n") {
		_, text, ok := strings.Cut(line, "corpus: ")
		if !ok {
			continue
		}
		words := strings.Fields(text)
		l := label{line: i + 1, want: Severity(words[0])}
		if !slices.Contains([]Severity{Hazard, Safe, Verify}, l.want) {
			return nil, fmt.Errorf("evaluate: %s:%d: label %q", name, i+1, words[0])
		}
		for _, w := range words[1:] {
			if w == "tricky" {
				l.tricky = true
			} else {
				l.kinds = strings.Split(w, ",")
			}
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b label) int { return cmp.Compare(a.line, b.line) })
	return out, nil
}

// labelOf is the last label before the line.
func labelOf(all []label, line int) *label {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].line < line {
			return &all[i]
		}
	}
	return nil
}

// String is the figures as one line of a table.
func (f Figures) String() string {
	r := func(x Ratio) string { return fmt.Sprintf("%.3f (%.3f–%.3f)", x.Value, x.Low, x.High) }
	return fmt.Sprintf("%-20s n %3d  precision %s  recall %s  F1 %s", f.Name, f.N, r(f.Precision), r(f.Recall), r(f.F1))
}
