package main

import (
	"context"
	"crypto/rand"
	"io"
	"iter"
	"os"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// examples are the runs shipped in the repository, used when nothing else is
// found, so that a fresh clone has something to look at.
const examples = "examples/runs"

// sourceKinds are the values of source.kind. Each has a case in openSource.
func sourceKinds() []string { return []string{"auto", "file"} }

// openSource makes the source that the command line, the configuration or the
// surroundings ask for, and says why that one.
func openSource(c config, paths []string, stdin io.Reader) (src history.Source, chosen string, err error) {
	o := reading(c)
	if len(paths) > 0 {
		src, err = file.New(file.Config{Paths: paths, Stdin: stdin, Options: o})
		return src, "as named on the command line", err
	}
	switch c.Source.Kind {
	case "file":
		src, err = file.New(file.Config{Paths: c.Source.Paths, Options: o})
		return src, "as configured", err
	}
	if len(c.Source.Paths) > 0 {
		src, err = file.New(file.Config{Paths: c.Source.Paths, Options: o})
		return src, "because source.paths is configured", err
	}
	if info, err := os.Stat(examples); err == nil && info.IsDir() {
		src, err := file.New(file.Config{Paths: []string{examples}, Options: o})
		return src, "the example runs of the repository, because no source is configured and none was found: they are not yours", err
	}
	return nothing{o.Sharing}, "because no source is configured and none was found", nil
}

// reading governs how every local source turns bytes into runs.
func reading(c config) history.Options {
	o := history.Options{Sharing: history.Sharing{Level: history.LevelMetadata, How: "the default of every source"}}
	if c.DataSharing == "full" {
		o.Sharing = history.Sharing{Level: history.LevelFull, How: "as configured"}
	}
	if c.Fingerprints {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		o.Fingerprint = history.NewFingerprinter(key)
	}
	return o
}

// nothing is the source of a process that was given none: a pasted history can
// still be read.
type nothing struct{ sharing history.Sharing }

func (nothing) problem() error {
	return &fault.Error{Kind: fault.Config, What: "no source of runs is configured", Means: "only a pasted history can be read",
		Do: "Set source.paths to exported runs, or pass a run's JSON as history"}
}

func (n nothing) Describe(context.Context) history.Description {
	return history.Description{Name: "none", Where: "nowhere", Sharing: n.sharing, Problem: n.problem()}
}

func (n nothing) Runs(context.Context, history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) { yield(history.Header{}, n.problem()) }
}

func (n nothing) Run(context.Context, history.Ref) (*history.Run, error) { return nil, n.problem() }
