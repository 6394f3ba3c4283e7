package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Set by the linker in a release (.goreleaser.yaml, Dockerfile); empty: what the Go
// command recorded.
var released, commit, committed string

// build says which program this is. Its date is that of the commit and not of the
// day it was compiled, so that the same source gives the same binary.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit, RFC 3339, UTC
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Review   bool   `json:"code_review"` // false in a build without cgo
}

// thisBuild reads what the linker set, else what the Go command recorded.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(build{Version: released, Commit: commit, Date: committed}, info)
}

// buildOf fills in what the linker did not set. info may be nil.
func buildOf(b build, info *debug.BuildInfo) build {
	b.Go, b.Platform, b.Review = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, parse.BuiltIn
	if info != nil {
		if b.Version == "" {
			b.Version = strings.TrimPrefix(info.Main.Version, "v")
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && b.Commit == "":
				b.Commit = s.Value
			case s.Key == "vcs.time" && b.Date == "":
				b.Date = s.Value
			case s.Key == "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "0.0.0-devel"
	}
	if t, err := time.Parse(time.RFC3339, b.Date); err == nil {
		b.Date = t.UTC().Format(time.RFC3339)
	}
	return b
}

// whole is the version with commit and date as build metadata of semantic
// versioning, unless it names the commit already as a pseudo-version does.
func (b build) whole() string {
	if len(b.Commit) < 12 || strings.Contains(b.Version, b.Commit[:12]) {
		return b.Version
	}
	sep := "+"
	if strings.Contains(b.Version, "+") {
		sep = "."
	}
	v := b.Version + sep + b.Commit[:12]
	if len(b.Date) >= len("2006-01-02") {
		v += "." + strings.ReplaceAll(b.Date[:10], "-", "")
	}
	return v
}

// notes say where a build comes from, and what it lacks.
func (b build) notes() string {
	note := b.Go + " " + b.Platform
	if b.Commit != "" {
		note += ", commit " + b.Commit
		if b.Date != "" {
			note += " of " + b.Date
		}
		if b.Modified {
			note += " with changes"
		}
	}
	if !b.Review {
		return note + "\ncode review is not in this build: it was made without cgo"
	}
	return note + "\ncode review is built in"
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the commit and what this build can do", Args: cobra.NoArgs,
		Example: "  idem-mcp version\n  idem-mcp version --output json",
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			switch a.output {
			case "json":
				raw, err := json.MarshalIndent(b, "", "  ")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.Stdout, string(raw))
				return err
			case "text":
				_, err := fmt.Fprintf(a.Stdout, "idem-mcp %s\n%s\n", b.Version, b.notes())
				return err
			default:
				return a.outputError()
			}
		},
	}
}
