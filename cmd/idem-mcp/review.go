package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/tools"
)

// reviewFlags are what the command review has beside its tool's arguments: what
// a build needs, and what those who change rules do.
type reviewFlags struct {
	evaluate      bool
	failOn        string
	changedSince  string
	baseline      string
	writeBaseline string
}

func (f *reviewFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.evaluate, "evaluate", false, "measure the reviewer on a folder of labelled activities (review/testdata/corpus) instead")
	flags.StringVar(&f.failOn, "fail-on", "hazard", "exit code 1 for a finding of this severity or a graver one: "+strings.Join(tools.FailOn(), ", "))
	flags.StringVar(&f.changedSince, "changed-since", "", "compare with this commit of git: only what is new counts (main... is where this branch left main)")
	flags.StringVar(&f.baseline, "baseline", "", "compare with the findings in this file: only others count")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "write the present findings to this file, for --baseline")
	offer(cmd, "fail-on", tools.FailOn())
	cmd.Long += `
--output can also be ` + strings.Join(tools.ReviewOutputs(), ", ") + ` here; files are then named from the top of the project, as they are in a comparison.

Exit codes: 0 nothing found that counts, 1 found, 2 nothing found but some file could not be read, 3 error.`
	cmd.Example += "\n  idem-mcp review --changed-since main... .\n  idem-mcp review --output sarif --fail-on none . > idem.sarif"
}

// review runs the command: the tool, or more than the tool where a flag asks for
// it.
func (a *app) review(cmd *cobra.Command, c tools.Capability, f *reviewFlags, paths []string) error {
	a.forms = formsOf("review")
	deps, _, err := a.deps(namedRuns(cmd, c), true)
	if err != nil {
		return err
	}
	if f.evaluate {
		folder := "review/testdata/corpus"
		if len(paths) > 0 {
			folder = paths[0]
		}
		return a.answer(tools.EvaluateReview(cmd.Context(), deps, folder))
	}
	args, err := arguments(cmd, c, paths)
	if err != nil {
		return err
	}
	b, err := f.build(a.output)
	if err != nil {
		return err
	}
	res, text := tools.ReviewInBuild(cmd.Context(), deps, args, b)
	if res.Err == nil && b.Write {
		if err := writeBaseline(b.Baseline, text); err != nil {
			return err
		}
	}
	return a.answer(res)
}

func (f *reviewFlags) build(output string) (tools.Build, error) {
	b := tools.Build{Output: output, FailOn: f.failOn, ChangedSince: f.changedSince, Baseline: f.baseline}
	given := 0
	for _, s := range []string{f.changedSince, f.baseline, f.writeBaseline} {
		if s != "" {
			given++
		}
	}
	if given > 1 {
		return b, &fault.Error{Kind: fault.BadInput, What: "--changed-since, --baseline and --write-baseline are given together", Do: "Keep one of them"}
	}
	var err error
	if f.baseline != "" {
		b.Known, err = readBaseline(f.baseline)
	}
	if f.writeBaseline != "" {
		b.Baseline, b.Write = f.writeBaseline, true
		if output != "text" && output != "json" {
			err = &fault.Error{Kind: fault.BadInput, What: "--write-baseline answers in text or json", Do: "Leave out --output " + output}
		}
	}
	return b, err
}

func readBaseline(name string) ([]review.Identified, error) {
	shown := clean.Line(name, 200)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fault.Error{Kind: fault.NotFound, What: "there is no baseline " + shown, Means: "nothing was compared", Do: "Write one: idem-mcp review --write-baseline " + shown + " PATH"}
	} else if err != nil {
		return nil, &fault.Error{Kind: fault.Forbidden, What: "read the baseline " + shown, Cause: err}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, review.MaxBaseline+1))
	if err != nil {
		return nil, &fault.Error{Kind: fault.Forbidden, What: "read the baseline " + shown, Cause: err}
	}
	return review.ReadBaseline(name, text)
}

// writeBaseline replaces the file in one step, so that nobody reads half of it.
// Any other file is left alone.
func writeBaseline(name string, text []byte) error {
	wrong := func(err error) error {
		return &fault.Error{Kind: fault.Forbidden, What: "write the baseline " + clean.Line(name, 200), Means: "the earlier one, if any, is as it was", Cause: err}
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if old, err := os.ReadFile(name); err == nil && len(old) > 0 && !bytes.Contains(old, []byte(review.BaselineFormat)) {
		return &fault.Error{Kind: fault.BadInput, What: clean.Line(name, 200) + " exists and is no baseline", Means: "it was left as it is", Do: "Name another file"}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".idem-baseline-*")
	if err != nil {
		return wrong(err)
	}
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(0o644) // a file of the repository, like any other
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return wrong(err)
	}
	return nil
}

// outputError says what --output can be, for this command.
func (a *app) outputError() error {
	e := &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("--output cannot be %q", a.output), Do: "It can be " + strings.Join(append([]string{"text", "json"}, a.forms...), ", ")}
	if len(a.forms) == 0 {
		e.Do = "It can be text or json"
		for _, f := range tools.ReviewOutputs() {
			if f == a.output {
				e.Do += "; " + f + " is a form of: idem-mcp review"
			}
		}
	}
	return e
}
