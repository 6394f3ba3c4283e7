package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/review/parse"
)

const someCommit = "0123456789abcdef0123456789abcdef01234567"

func TestVersionOfBuilds(t *testing.T) {
	vcs := func(version string, modified string) *debug.BuildInfo {
		info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: someCommit}, {Key: "vcs.time", Value: "2026-11-29T13:00:00+01:00"}, {Key: "vcs.modified", Value: modified}}}
		info.Main.Version = version
		return info
	}
	installed := &debug.BuildInfo{}
	installed.Main.Version = "v1.2.3"
	for name, c := range map[string]struct {
		linked build
		info   *debug.BuildInfo
		whole  string
		notes  string
	}{
		"a release":            {build{Version: "1.2.3", Commit: someCommit, Date: "2026-11-29T12:00:00Z"}, nil, "1.2.3+0123456789ab.20261129", "commit " + someCommit + " of 2026-11-29T12:00:00Z\n"},
		"go install of a tag":  {build{}, installed, "1.2.3", ""},
		"a checkout":           {build{}, vcs("(devel)", "false"), "0.0.0-devel+0123456789ab.20261129", "of 2026-11-29T12:00:00Z\n"},
		"a changed checkout":   {build{}, vcs("v1.2.4-0.20261129120000-0123456789ab+dirty", "true"), "1.2.4-0.20261129120000-0123456789ab+dirty", " with changes\n"},
		"nothing known":        {build{}, nil, "0.0.0-devel", ""},
		"metadata is extended": {build{Version: "1.2.3+x", Commit: someCommit}, nil, "1.2.3+x.0123456789ab", ""},
	} {
		b := buildOf(c.linked, c.info)
		if b.whole() != c.whole {
			t.Errorf("%s: %s, want %s", name, b.whole(), c.whole)
		}
		if !strings.Contains(b.notes(), c.notes) {
			t.Errorf("%s: %q lacks %q", name, b.notes(), c.notes)
		}
	}
}

// TestVersionCommand: both forms say what the build can do.
func TestVersionCommand(t *testing.T) {
	run := func(args ...string) (string, int) {
		var stdout bytes.Buffer
		code := execute(t.Context(), world{Args: append([]string{"version"}, args...), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: os.Stderr, Now: time.Now})
		return stdout.String(), code
	}
	text, code := run()
	if want := map[bool]string{true: "code review is built in", false: "code review is not in this build"}[parse.BuiltIn]; code != 0 || !strings.Contains(text, want) {
		t.Errorf("%d: %s", code, text)
	}
	raw, code := run("--output", "json")
	var b build
	if err := json.Unmarshal([]byte(raw), &b); err != nil || code != 0 {
		t.Fatal(code, err)
	}
	if b.Version == "" || b.Go != runtime.Version() || b.Review != parse.BuiltIn || b.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("%s", raw)
	}
	if _, code = run("--output", "sarif"); code != exitError {
		t.Errorf("exit code %d for a form that version does not have", code)
	}
}

// TestServerInfo: a client is told version and build.
func TestServerInfo(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	var stdout bytes.Buffer
	w := world{Args: []string{"serve", "../../examples/runs"}, Stdin: strings.NewReader(in), Stdout: &stdout, Stderr: os.Stderr, Env: os.Environ(), Now: time.Now}
	if code := execute(t.Context(), w); code != 0 {
		t.Fatal(code)
	}
	var answer struct {
		Result struct {
			ServerInfo struct{ Name, Version, Description string }
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	info := answer.Result.ServerInfo
	if info.Version != thisBuild().whole() || !strings.Contains(info.Description, runtime.Version()) || !strings.Contains(info.Description, "code review is") {
		t.Errorf("%+v", info)
	}
}
