package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idem-mcp/idem-mcp/github/githubtest"
)

// fiveChanges is a stand-in with the pull request of the tool's own test, on this
// machine.
func fiveChanges(t *testing.T) (hub *githubtest.Server, url string) {
	t.Helper()
	ar, err := txtar.ParseFile("../../tools/testdata/review_pull_request/five-changes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]map[string]string{"base": {}, "head": {}}
	for _, f := range ar.Files {
		if side, path, ok := strings.Cut(f.Name, "/"); ok && sides[side] != nil {
			sides[side][path] = string(f.Data)
		}
	}
	hub = githubtest.New()
	base, head := hub.Commit(sides["base"]), hub.Commit(sides["head"])
	hub.Pull(githubtest.Pull{Repo: "shop/orders", Number: 7, Base: base, Head: head, Renamed: map[string]string{"billing/refund_activities.py": "billing/refunds.py"}})
	hub.Pull(githubtest.Pull{Repo: "shop/orders", Number: 8, Base: head, Head: head})
	url, stop := hub.Start()
	t.Cleanup(stop)
	return hub, url
}

func shell(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = execute(t.Context(), world{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Env: env, Now: time.Now})
	return code, out.String(), err.String()
}

// TestReviewPullRequest: each of five changes is classed rightly, through the
// command, over the network.
func TestReviewPullRequest(t *testing.T) {
	hub, url := fiveChanges(t)
	hub.Token = "ghp_of_this_test"
	t.Chdir(t.TempDir())
	env := []string{"HOME=" + t.TempDir(), "IDEM_MCP_GITHUB_URL=" + url, "IDEM_MCP_GITHUB_TOKEN=" + hub.Token}
	code, out, errs := shell(t, env, "review", "--pr", "shop/orders#7", "--output", "json")
	if code != exitFound {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var a struct {
		Findings []struct{ Activity, Rule, Status, File, URL string }
		Counts   map[string]int
		Compared struct{ Head string }
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range a.Findings {
		got[f.Activity] = strings.Join([]string{f.Status, f.Rule, f.File}, " ")
		if !strings.HasPrefix(f.URL, url+"/shop/orders/blob/") || (f.Status != "fixed") != strings.Contains(f.URL, a.Compared.Head) {
			t.Errorf("%s: %s", f.Activity, f.URL)
		}
	}
	want := map[string]string{
		"capture":      "new IDEM002 orders/activities.py",              // a hazard was added
		"charge_card":  "new IDEM002 orders/pay.py",                     // the helper lost the key
		"BookParcel":   "new IDEM009 shipping/BookParcel.cs",            // its call site gained a retry policy
		"send_receipt": "fixed IDEM003 orders/activities.py",            // the hazard was fixed
		"refund":       "existing IDEM002 billing/refund_activities.py", // only its file was renamed
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if a.Counts["elsewhere"] != 1 { // open_ticket is not reached
		t.Errorf("%v", a.Counts)
	}
	if code, out, _ := shell(t, env, "review", "--pr", url+"/shop/orders/pull/8"); code != exitNothing || !strings.Contains(out, "nothing new is visible") {
		t.Errorf("no change: exit code %d\n%s", code, out)
	}
	for _, r := range hub.Requests() {
		if r.Authorization != "Bearer "+hub.Token && !strings.Contains(r.Path, "_codeload") {
			t.Errorf("%s was asked without the token", r.Path)
		}
	}
	if code, out, _ := shell(t, env, "status"); !strings.Contains(out, "a classic personal token, from IDEM_MCP_GITHUB_TOKEN") || strings.Contains(out, hub.Token) || !strings.Contains(out, "scopes repo") {
		t.Errorf("status: %d\n%s", code, out)
	}
}

// TestPullRequestFlags: what does not go together, and errors, in a shell.
func TestPullRequestFlags(t *testing.T) {
	hub, url := fiveChanges(t)
	dir := t.TempDir()
	t.Chdir(dir)
	env := []string{"HOME=" + t.TempDir(), "IDEM_MCP_GITHUB_URL=" + url}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"review", "--pr", "shop/orders#7", "src"}, "a path does not go with --pr"},
		{[]string{"review", "--pr", "shop/orders#7", "--symbol", "x"}, "--symbol does not go with --pr"},
		{[]string{"review", "--pr", "shop"}, "Write OWNER/REPO#NUMBER"},
		{[]string{"review", "--pr", "shop/orders#9"}, "set IDEM_MCP_GITHUB_TOKEN"},
		{[]string{"review", "--pr", "https://github.com/shop/orders/pull/7"}, "it is not on " + url},
	} {
		if code, _, errs := shell(t, env, tt.args...); code != exitError || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: %d %s", tt.args, code, errs)
		}
	}
	if code, out, _ := shell(t, env, "review", "--help"); code != 0 || !strings.Contains(out, "--pr") {
		t.Errorf("help: %d %s", code, out)
	}
	// A cloned repository must not say where the token goes.
	if err := os.WriteFile(localFile, fmt.Appendf(nil, "github:\n  url: %s\n", url), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := shell(t, env[:1], "review", "--pr", "shop/orders#7"); code != exitError || !strings.Contains(errs, "may not") {
		t.Errorf("a local file set github.url: %d %s", code, errs)
	}
	if n := len(hub.Requests()); n != 1 { // only that of the pull request that is not there
		t.Errorf("%d requests", n)
	}
}

// TestWhoseToken: GITHUB_TOKEN is sent to the GitHub it belongs to and no other.
func TestWhoseToken(t *testing.T) {
	hub, url := fiveChanges(t)
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{[]string{"GITHUB_TOKEN=ghp_a"}, ""},
		{[]string{"GITHUB_TOKEN=ghp_a", "GITHUB_SERVER_URL=https://github.com"}, ""},
		{[]string{"GITHUB_TOKEN=ghp_a", "GITHUB_SERVER_URL=" + url}, "Bearer ghp_a"},
		{[]string{"GITHUB_TOKEN=ghp_a", "IDEM_MCP_GITHUB_TOKEN=ghp_b"}, "Bearer ghp_b"},
	} {
		before := len(hub.Requests())
		env := append([]string{"HOME=" + t.TempDir(), "IDEM_MCP_GITHUB_URL=" + url}, tt.env...)
		if code, _, errs := shell(t, env, "review", "--pr", "shop/orders#8"); code != exitNothing {
			t.Fatalf("%v: %d %s", tt.env, code, errs)
		}
		if all := hub.Requests()[before:]; len(all) == 0 || slices.ContainsFunc(all, func(r githubtest.Request) bool { return r.Authorization != tt.want }) {
			t.Errorf("%v: %+v", tt.env, all)
		}
	}
}
