package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/git"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/rootfs"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/output"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// Build is what a build asks of the command review beyond the tool's arguments.
// It is for the shell and no part of the tool: it reads git's objects, and what
// it returns may be written to a file by its caller.
type Build struct {
	Output       string // text, json, or one of ReviewOutputs
	FailOn       string // hazard, verify or none; "" is hazard
	ChangedSince string // compare with this commit
	// Baseline is compared with, or written: the file's name, and what it holds.
	Baseline string
	Known    []review.Identified
	Write    bool
}

// ReviewOutputs are the forms of a review beside text and json.
func ReviewOutputs() []string { return []string{"sarif", "github", "junit"} }

// FailOn are the values of Build.FailOn.
func FailOn() []string { return []string{"hazard", "verify", "none"} }

// ReviewInBuild answers as the tool idem_review_code does, in the form and with
// the comparison that a build asks for. The second value is the baseline to write.
func ReviewInBuild(ctx context.Context, d Deps, args json.RawMessage, b Build) (Result, []byte) {
	var baseline []byte
	if !slices.Contains(FailOn(), b.failOn()) {
		return failed(d, Capability{}, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("--fail-on cannot be %q", clean.Line(b.FailOn, 40)), Do: "It can be " + strings.Join(FailOn(), ", ")}), nil
	}
	c := reviewCode()
	if b.reports() || b.compares() || b.Write {
		if err := b.refuse(args); err != nil {
			return failed(d, Capability{}, err), nil
		}
		c = define(definition[reviewCodeIn, *inBuild]{Name: c.Name, Example: c.Example, Run: func(ctx context.Context, d Deps, in reviewCodeIn) (*inBuild, error) {
			out, text, err := runBuild(ctx, d, in, b)
			baseline = text
			return &inBuild{out}, err
		}})
	} else if b.FailOn != "" {
		c = define(definition[reviewCodeIn, *reviewCodeOut]{Name: c.Name, Example: c.Example, Run: func(ctx context.Context, d Deps, in reviewCodeIn) (*reviewCodeOut, error) {
			out, err := runReviewCode(ctx, d, in)
			if err == nil {
				out.found = b.FailOn != "none" && (out.found || b.FailOn == "verify" && out.verify)
			}
			return out, err
		}})
	}
	return c.Call(ctx, d, args), baseline
}

// inBuild is one of the answers that a build can ask for.
type inBuild struct{ answer reply }

func (a *inBuild) common() *Answer { return a.answer.common() }
func (a *inBuild) render(t *text)  { a.answer.render(t) }

// MarshalJSON is that of the answer.
func (a *inBuild) MarshalJSON() ([]byte, error) { return json.Marshal(a.answer) }

func (b *Build) failOn() string {
	if b.FailOn == "" {
		return "hazard"
	}
	return b.FailOn
}

// refuse names an argument that these forms would silently leave out.
func (b *Build) refuse(args json.RawMessage) error {
	var given map[string]any
	if err := json.Unmarshal(args, &given); err != nil {
		return err
	}
	if given["symbol"] != nil && b.Baseline != "" {
		return &fault.Error{Kind: fault.BadInput, What: "--symbol does not go with a baseline, which holds the findings of all activities",
			Means: "nothing was reviewed: those of the others would be told as fixed, or be left out of the file", Do: "Leave it out, or name the file of the activity as the path"}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "paths" && name != "symbol" {
			return &fault.Error{Kind: fault.BadInput, What: "--" + strings.ReplaceAll(name, "_", "-") + " has no meaning in a comparison, for a baseline, nor with --output " + strings.Join(ReviewOutputs(), ", "),
				Means: "nothing was reviewed", Do: "Leave it out, or ask for it in a review of its own"}
		}
	}
	return nil
}

func (b *Build) reports() bool  { return slices.Contains(ReviewOutputs(), b.Output) }
func (b *Build) compares() bool { return b.ChangedSince != "" || b.Baseline != "" && !b.Write }

// fails reports whether the build fails for a finding: one that is new, that
// the change makes worse, or that nothing was compared with, of the severity that
// was chosen.
func (b *Build) fails(c review.Change) bool {
	counts := c.Status == "" || c.Status == review.New || c.Worse
	return counts && (b.failOn() != "none" && c.Severity == review.Hazard || b.failOn() == "verify" && c.Severity == review.Verify)
}

// runBuild reviews the whole project around the paths: only then is a finding
// that moved known again. Files are named from the top of the project, as builds
// do.
func runBuild(ctx context.Context, d Deps, in reviewCodeIn, b Build) (reply, []byte, error) {
	if len(in.Paths) == 0 {
		return nil, nil, &badArgument{what: "nothing to review is named", do: "Give paths (files or folders)"}
	}
	root, parts, err := d.oneProject(in.Paths)
	if err != nil {
		return nil, nil, err
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, &fault.Error{Kind: fault.Forbidden, What: "open " + clean.Line(root, 200), Cause: err}
	}
	defer top.Close()
	files := rootfs.New(top)
	defer files.Close()
	s, err := d.settled(ctx, b, root, files, parts, in.Symbols)
	if err != nil {
		return nil, nil, err
	}
	if b.Write {
		return d.writeBaseline(s, b)
	}
	out := newChanges(&s.comparison, &s.head, s.gaps, s.against)
	out.found = slices.ContainsFunc(s.comparison.Changes(), b.fails)
	if b.Baseline != "" {
		out.WriteAnew = "idem-mcp review --write-baseline " + shellWord(b.Baseline) + " " + shellWords(in.Paths)
	}
	out.NotVisible = append(out.NotVisible, s.notes...)
	if !b.reports() {
		return out, nil, nil
	}
	doc, err := s.report(d, out, b)
	return doc, nil, err
}

// settled is a review of a project, compared as was asked for.
type settled struct {
	comparison review.Comparison
	head       review.Result
	gaps       []review.Skipped
	notes      []string
	against    string // "" when nothing was compared
	within     func(string) bool
}

func (d Deps) settled(ctx context.Context, b Build, root string, head fs.FS, parts, symbols []string) (*settled, error) {
	s := &settled{within: within(parts)}
	if b.ChangedSince != "" {
		if err := s.since(ctx, d, b.ChangedSince, root, head, parts, symbols); err != nil {
			return nil, err
		}
	} else {
		res, err := d.review(ctx, review.Config{Files: head, Paths: append([]string{"."}, parts...), Symbols: symbols, Everything: true}) // as a comparison does
		if err != nil {
			return nil, err
		}
		s.head = res
		if b.compares() {
			s.comparison, s.against = review.CompareBaseline(b.Known, &res, s.within), "the baseline "+clean.Line(b.Baseline, 200)
		} else {
			s.comparison = review.Uncompared(&res, s.within)
		}
	}
	for _, g := range s.head.Skipped {
		if !review.OnPurpose(g.Reason) && s.within(strings.TrimSuffix(g.File, "/")) {
			s.gaps = append(s.gaps, g)
		}
	}
	return s, nil
}

// since compares with a commit.
func (s *settled) since(ctx context.Context, d Deps, ref, root string, head fs.FS, parts, symbols []string) error {
	base, err := git.Open(ctx, root, ref)
	if err != nil {
		return err
	}
	defer base.Close()
	c, err := d.compareReviews(ctx, state{FS: base}, state{FS: hiding{head, base.Gaps}}, nil, parts, symbols)
	if err != nil {
		return err
	}
	s.comparison, s.head = c.Comparison, c.Head
	s.against = clean.Line(ref, 120) + " (" + base.Commit[:min(12, len(base.Commit))] + ")"
	for i := range s.head.Skipped {
		for _, g := range base.Gaps {
			if s.head.Skipped[i].File == g.Path {
				s.head.Skipped[i].Reason = g.Why
			}
		}
	}
	for _, g := range c.Lost {
		s.head.Skipped = append(s.head.Skipped, review.Skipped{File: g.File, Reason: "in the earlier state: " + g.Reason + "; its findings count as new"})
	}
	if base.Shallow {
		s.notes = append(s.notes, "this clone is shallow: a commit that is not in it cannot be compared with, and main... is only right if it holds where the branch left main")
	}
	return nil
}

// hiding is a file system without the folders that have no earlier state.
type hiding struct {
	fs.FS
	gaps []git.Gap
}

func (h hiding) Open(name string) (fs.File, error) {
	for _, g := range h.gaps {
		if within([]string{g.Path})(name) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	}
	return h.FS.Open(name)
}

// oneProject finds the project that all paths lie in, and their places in it.
func (d Deps) oneProject(paths []string) (root string, parts []string, err error) {
	for _, path := range paths {
		p, err := d.locate(path)
		if err != nil {
			return "", nil, err
		}
		if root != "" && p.root != root {
			return "", nil, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("the paths lie in two projects, %s and %s", filepath.Base(root), filepath.Base(p.root)),
				Means: "nothing was reviewed", Do: "Review one project at a time, or name the folder that holds both"}
		}
		root, parts = p.root, append(parts, p.part)
	}
	return root, parts, nil
}

func shellWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}

// writtenOut is an answer that is a document of its own.
type writtenOut struct {
	Answer
	document []byte
}

func (out *writtenOut) render(t *text) { t.WriteString(string(out.document)) }

// report writes the review as SARIF, JUnit or workflow commands.
func (s *settled) report(d Deps, out *changesOut, b Build) (reply, error) {
	r := &output.Report{Version: d.Version, Summary: out.Summary, Rules: rules.All(), Gaps: s.gaps, Fails: b.fails, Anew: out.WriteAnew}
	for _, u := range s.comparison.Units {
		cleanUnit(&u)
		r.Units = append(r.Units, u)
	}
	for i, f := range review.IdentifySilenced(&s.head) {
		if s.within(f.File) {
			cleanIdentified(&f)
			r.Silenced = append(r.Silenced, output.Silenced{Identified: f, Reason: clean.Line(s.head.Silenced[i].Reason, 240)})
		}
	}
	for i := range r.Gaps {
		r.Gaps[i].File = clean.Line(r.Gaps[i].File, 240)
	}
	if s.against == "" {
		r.Summary = uncomparedSummary(&s.comparison, s.head.Files)
	}
	w := &writtenOut{Answer: out.Answer}
	var err error
	switch b.Output {
	case "sarif":
		w.document, err = output.SARIF(r)
	case "junit":
		w.document, err = output.JUnit(r)
	default:
		w.document = output.GitHub(r)
	}
	return w, err
}

func uncomparedSummary(c *review.Comparison, files int) string {
	of := map[review.Severity]int{}
	for _, x := range c.Changes() {
		of[x.Severity]++
	}
	return fmt.Sprintf("%s, %d to verify, %d of advice in %d activities and workflows of %s", count(of[review.Hazard], "hazard"), of[review.Verify], of[review.Advice], len(c.Units), count(files, "file"))
}

// writtenBaseline is the answer to --write-baseline.
type writtenBaseline struct {
	Answer
	File  string `json:"file"`
	Known int    `json:"known" jsonschema:"how many findings the baseline holds"`
}

func (out *writtenBaseline) render(t *text) {
	t.line("%s", sentence(out.Summary))
	t.closing(&out.Answer)
}

func (d Deps) writeBaseline(s *settled, b Build) (reply, []byte, error) {
	var all []review.Identified
	for _, c := range s.comparison.Changes() {
		cleanIdentified(&c.Identified)
		all = append(all, c.Identified)
	}
	text, err := review.WriteBaseline(all)
	if err != nil {
		return nil, nil, err
	}
	out := &writtenBaseline{File: b.Baseline, Known: len(all)}
	out.Summary = fmt.Sprintf("the baseline %s holds %s of %d activities and workflows; with --baseline only others count", clean.Line(b.Baseline, 200), count(len(all), "finding"), len(s.comparison.Units))
	for _, g := range s.gaps {
		out.Coverage.miss(g.File + ": " + g.Reason)
	}
	return out, text, nil
}
