package main

import (
	"context"
	"crypto/rand"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/dapr/discovery"
	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/dapr/sidecar"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// examples are the runs shipped in the repository, used when nothing else is
// found, so that a fresh clone has something to look at.
const examples = "examples/runs"

// sourceKinds are the values of source.kind. Each has a case in openSource.
func sourceKinds() []string { return []string{"auto", "file", "sidecar", "store", "catalyst"} }

// openSource makes the source that the command line, the configuration or the
// surroundings ask for, and says why that one.
func openSource(c config, paths []string, stdin io.Reader) (src history.Source, chosen string, err error) {
	o := reading(c)
	if len(paths) > 0 {
		src, err = file.New(file.Config{Paths: paths, Stdin: stdin, Options: o})
		return src, "as named on the command line", err
	}
	kind, chosen := c.Source.Kind, "as configured"
	if kind == "auto" {
		kind, chosen = configured(c)
	}
	switch kind {
	case "file":
		src, err = file.New(file.Config{Paths: c.Source.Paths, Options: o})
	case "sidecar":
		src, err = openSidecar(c, o)
	case "store":
		return openStore(c, o, chosen)
	case "catalyst":
		src, err = catalyst.New(catalystConfig(c, o))
	default:
		return discover(c, o)
	}
	return src, chosen, err
}

// configured is the kind of source that the settings ask for without naming it,
// and why; "" when they ask for none.
func configured(c config) (kind, why string) {
	switch {
	case len(c.Source.Paths) > 0:
		return "file", "because source.paths is configured"
	case c.Source.Component != "":
		return "store", "because source.component is configured"
	case c.Source.Sidecar != "":
		return "sidecar", "because source.sidecar is configured"
	case c.getenv(catalyst.TokenEnv) != "":
		return "catalyst", "because " + catalyst.TokenEnv + " is set"
	case c.Catalyst.ClientID != "":
		return "catalyst", "because catalyst.client_id is configured"
	}
	return "", ""
}

func openSidecar(c config, o history.Options) (history.Source, error) {
	address, token := c.Source.Sidecar, c.getenv("DAPR_API_TOKEN")
	if address == "" {
		var variable string
		if address, token, variable = sidecar.FromEnv(c.getenv); variable == "" {
			return nil, &fault.Error{Kind: fault.Config, What: "source.kind is sidecar and no sidecar is named", Do: "Set source.sidecar, or DAPR_GRPC_PORT or DAPR_GRPC_ENDPOINT as Dapr does"}
		}
	}
	return sidecar.New(sidecar.Config{Address: address, Token: token, Options: o, MaxMessage: c.Source.MaxMessage << 20, App: c.getenv("APP_ID")})
}

func openStore(c config, o history.Options, chosen string) (history.Source, string, error) {
	if c.Source.Component == "" {
		return nil, "", &fault.Error{Kind: fault.Config, What: "source.kind is store and no component file is named", Do: "Set source.component to a Dapr component file or folder, or use --component"}
	}
	found, err := discovery.Open(c.Source.Component, c.Source.Store, surroundings(c), discovery.Config{Options: o})
	if err != nil {
		return nil, "", err
	}
	return found.Source, chosen + ": " + found.Why, nil
}

// surroundings are those of this process, with the environment it was given.
func surroundings(c config) discovery.Surroundings {
	s := discovery.Here()
	s.Getenv = c.getenv
	s.Home = c.getenv("HOME")
	return s
}

// discover looks for a Dapr at hand, then for the example runs.
func discover(c config, o history.Options) (history.Source, string, error) {
	found, err := discovery.Search(surroundings(c), discovery.Config{Options: o, MaxMessage: c.Source.MaxMessage << 20})
	if err != nil {
		return nil, "", err
	}
	if found.Source != nil {
		return found.Source, "found: " + found.Why, nil
	}
	passed := strings.Join(found.Passed, "; ")
	if info, err := os.Stat(examples); err == nil && info.IsDir() {
		src, err := file.New(file.Config{Paths: []string{examples}, Options: o})
		return src, "the example runs of the repository, because no source is configured and none was found (" + passed + "): they are not yours", err
	}
	return nothing{o.Sharing}, "because no source is configured and none was found (" + passed + ")", nil
}

// catalystConfig hands the settings on. A level is stated only when somebody
// configured one; the token is read from the environment or the token store.
func catalystConfig(c config, o history.Options) catalyst.Config {
	out := catalyst.Config{
		Server: c.Catalyst.URL, ClientID: c.Catalyst.ClientID, RedirectURL: c.Catalyst.RedirectURL, Project: c.Catalyst.Project, App: c.Catalyst.App,
		TokenFile: c.Catalyst.TokenFile, NoKeyring: !c.Catalyst.Keyring, NoLevelProbe: !c.Catalyst.LevelProbe, Fingerprint: o.Fingerprint,
		Getenv: c.getenv, Version: thisBuild().whole(),
	}
	if c.levelStated {
		out.SharingLevel = o.Sharing.Level
	}
	return out
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
		Do: "Set source.paths to exported runs, source.component to a Dapr component file, or sign in to Catalyst; or pass a run's JSON as history"}
}

func (n nothing) Describe(context.Context) history.Description {
	return history.Description{Name: "none", Where: "nowhere", Sharing: n.sharing, Problem: n.problem()}
}

func (n nothing) Runs(context.Context, history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) { yield(history.Header{}, n.problem()) }
}

func (n nothing) Run(context.Context, history.Ref) (*history.Run, error) { return nil, n.problem() }
