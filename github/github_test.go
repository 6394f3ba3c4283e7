package github_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/github/githubtest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// clock is a time that only sleeping moves.
type clock struct {
	at    time.Time
	slept []time.Duration
}

func (c *clock) now() time.Time { return c.at }

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.at, c.slept = c.at.Add(d), append(c.slept, d)
	return nil
}

func client(t testing.TB, s *githubtest.Server, change func(*github.Config)) (*github.Client, *clock) {
	t.Helper()
	k := &clock{at: start}
	c := github.Config{URL: githubtest.Web, Transport: s.Transport(), Now: k.now, Sleep: k.sleep}
	if change != nil {
		change(&c)
	}
	cl, err := github.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return cl, k
}

var anyPython = github.Want{Path: func(p string) bool { return strings.HasSuffix(p, ".py") || strings.HasSuffix(p, ".gitignore") }}

func skipped(s *github.Snapshot) string {
	var b strings.Builder
	for _, x := range s.Skipped {
		fmt.Fprintf(&b, "%s: %s\n", x.File, x.Reason)
	}
	return b.String()
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct{ url, web, wrong string }{
		{"", "https://github.com", ""},
		{"https://github.com/", "https://github.com", ""},
		{"https://api.github.com", "https://github.com", ""},
		{"https://GitHub.Example.com:8443", "https://github.example.com:8443", ""},
		{"https://github.example.com/api/v3", "https://github.example.com", ""},
		{"https://acme.ghe.com", "https://acme.ghe.com", ""},
		{"http://127.0.0.1:99", "http://127.0.0.1:99", ""},
		{"http://github.example.com", "", "is not https"},
		{"http://169.254.169.254", "", "is not https"},
		{"ftp://localhost", "", "is not https"},
		{"https://token@github.com", "", "more in it"},
		{"https://github.com/owner", "", "has a path"},
		{"https://github.com?x=y", "", "more in it"},
		{"github.com", "", "is no address"},
	} {
		c, err := github.New(github.Config{URL: tt.url, Now: time.Now})
		switch {
		case tt.wrong == "" && (err != nil || c.Web() != tt.web):
			t.Errorf("%s: %v", tt.url, err)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong) || fault.KindOf(err) != fault.Config):
			t.Errorf("%s: %v", tt.url, err)
		}
	}
	if _, err := github.New(github.Config{Token: "ghp_1\nX: y", TokenFrom: "T", Now: time.Now}); err == nil || strings.Contains(err.Error(), "ghp_1") {
		t.Errorf("a token with a line break: %v", err)
	}
}

func TestParseRef(t *testing.T) {
	c, _ := client(t, githubtest.New(), nil)
	for in, want := range map[string]string{
		"shop/orders#7":   "shop/orders#7",
		" shop/orders#7 ": "shop/orders#7",
		"https://github.example/shop/orders/pull/7":        "shop/orders#7",
		"https://github.example/shop/orders/pull/7/files":  "shop/orders#7",
		"https://github.example/shop/orders/pull/7#note-1": "shop/orders#7",
		"shop/orders":                   "",
		"shop/orders#0":                 "",
		"shop/orders#x":                 "",
		"shop/..#7":                     "",
		"shop/orders/deep#7":            "",
		"sh%2fop/orders#7":              "",
		"shop/orders#99999999999":       "",
		"https://github.com/a/b/pull/1": "",
		"https://github.example.evil.com/a/b/pull/1":  "",
		"https://x@github.example.evil/a/b/pull/1":    "",
		"https://github.example/shop/orders/issues/7": "",
	} {
		r, err := c.ParseRef(in)
		if want == "" {
			if fault.KindOf(err) != fault.BadInput {
				t.Errorf("%s: %v, %v", in, r, err)
			}
		} else if err != nil || r.String() != want {
			t.Errorf("%s: %v, %v", in, r, err)
		}
	}
}

func TestLinks(t *testing.T) {
	c, _ := client(t, githubtest.New(), nil)
	r, sha := github.Repo{Owner: "shop", Name: "orders"}, strings.Repeat("a", 40)
	for path, want := range map[string]string{
		"a/b.py":       githubtest.Web + "/shop/orders/blob/" + sha + "/a/b.py#L3-L5",
		"a b/c#d?.py":  githubtest.Web + "/shop/orders/blob/" + sha + "/a%20b/c%23d%3F.py#L3-L5",
		"../b.py":      "",
		"a/\u202eb.py": "",
		"a\\b.py":      "",
		"a\x01.py":     "",
		"":             "",
	} {
		if got := c.BlobURL(r, sha, path, 3, 5); got != want {
			t.Errorf("%q: %s", path, got)
		}
	}
	if c.BlobURL(r, "main", "a.py", 1, 1) != "" || c.BlobURL(github.Repo{Owner: "a/b", Name: "c"}, sha, "a.py", 1, 1) != "" || c.BlobURL(r, sha, "a.py", 0, 0) != "" {
		t.Error("a link to a branch, a bad name or no line")
	}
}

func TestSnapshots(t *testing.T) {
	s := githubtest.New()
	base := map[string]string{"src/a.py": "a = 1\n", "src/b.py": "b = 1\n", "empty.py": "", ".gitignore": "x\n", "logo.png": "\x89PNG", "node_modules/x/y.py": "y\n", "link.py@": "src/a.py", "lib!": "m", "Main.kt": "k"}
	head := map[string]string{}
	for k, v := range base {
		head[k] = v
	}
	head["src/b.py"], head["big.py"] = "b = 2\n", "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 1\n"
	b, h := s.Commit(base), s.Commit(head)
	c, _ := client(t, s, nil)
	repo := github.Repo{Owner: "shop", Name: "orders"}
	got, err := c.Snapshots(t.Context(), anyPython, github.Commit{Repo: repo, SHA: b}, github.Commit{Repo: repo, SHA: h})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"b = 1\n", "b = 2\n"} {
		f := got[i].FS()
		if text, err := fs.ReadFile(f, "src/b.py"); err != nil || string(text) != want {
			t.Errorf("src/b.py: %q, %v", text, err)
		}
		if _, err := fs.ReadFile(f, "logo.png"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a file that nobody wanted: %v", err)
		}
		sub, err := fs.Sub(f, "src")
		if err != nil {
			t.Fatal(err)
		}
		if err := fstest.TestFS(sub, "a.py", "b.py"); err != nil {
			t.Error(err)
		}
		if !strings.Contains(skipped(got[i]), "link.py: a symbolic link") || !strings.Contains(skipped(got[i]), "lib: a submodule") {
			t.Errorf("skipped: %s", skipped(got[i]))
		}
	}
	if !strings.Contains(skipped(got[1]), "big.py: a Git LFS pointer") {
		t.Errorf("skipped: %s", skipped(got[1]))
	}
	if n := s.Count("/git/blobs/"); n != 6 { // a, b twice, empty, .gitignore, the pointer
		t.Errorf("%d contents fetched: what base and head share is one", n)
	}
	if _, err := c.Snapshots(t.Context(), anyPython, github.Commit{Repo: repo, SHA: h}); err != nil || s.Count("/git/blobs/") != 6 {
		t.Errorf("read again: %v, %d fetched", err, s.Count("/git/blobs/"))
	}
}

func TestManyFilesComeFromTheArchive(t *testing.T) {
	s := githubtest.New()
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("p%d/f%d.py", i%7, i)] = fmt.Sprintf("x = %d\n", i)
	}
	sha := s.Commit(files)
	at := github.Commit{Repo: github.Repo{Owner: "shop", Name: "orders"}, SHA: sha}
	check := func(c *github.Client) {
		t.Helper()
		got, err := c.Snapshots(t.Context(), anyPython, at)
		if err != nil {
			t.Fatal(err)
		}
		for p, want := range files {
			if text, err := fs.ReadFile(got[0].FS(), p); err != nil || string(text) != want {
				t.Fatalf("%s: %q, %v", p, text, err)
			}
		}
	}
	c, _ := client(t, s, func(c *github.Config) { c.Token, c.TokenFrom = "ghp_secret", "X" })
	check(c)
	if s.Count("/git/blobs/") != 0 || s.Count("_codeload") != 1 {
		t.Errorf("%d contents, %d archives", s.Count("/git/blobs/"), s.Count("_codeload"))
	}
	for _, r := range s.Requests() {
		if strings.Contains(r.Path, "_codeload") && r.Authorization != "" {
			t.Error("the token went with the archive")
		}
	}
	// An archive that changes or lacks files, is broken or on another host, is no
	// failure: the rest is fetched one by one.
	for name, intercept := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"broken": func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "_codeload") {
				fmt.Fprintf(w, "%s", "no archive")
				return true
			}
			return false
		},
		"altered": func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "_codeload") {
				z := gzip.NewWriter(w)
				in := tar.NewWriter(z)
				for p, text := range files {
					text = strings.ToUpper(text) // as long, and another text
					_ = in.WriteHeader(&tar.Header{Name: "top/" + p, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
					_, _ = in.Write([]byte(text))
				}
				_, _ = in.Close(), z.Close()
				return true
			}
			return false
		},
		"another host": func(w http.ResponseWriter, r *http.Request) bool {
			if r.Host == "evil.example" {
				t.Error("another host was asked")
			}
			if strings.Contains(r.URL.Path, "/tarball/") {
				w.Header().Set("Location", "https://evil.example/x.tar.gz")
				w.WriteHeader(http.StatusFound)
				return true
			}
			return false
		},
	} {
		s.Intercept = intercept
		before := s.Count("/git/blobs/")
		c, _ := client(t, s, nil)
		check(c)
		if s.Count("/git/blobs/")-before != 120 {
			t.Errorf("%s: %d fetched one by one", name, s.Count("/git/blobs/")-before)
		}
	}
}

func TestTruncatedTrees(t *testing.T) {
	s := githubtest.New()
	files := map[string]string{"node_modules/a/b.py": "n\n"}
	for i := range 40 {
		files[fmt.Sprintf("d%d/e/f%d.py", i%4, i)] = "x = 1\n"
	}
	sha := s.Commit(files)
	s.TruncateAbove = 12
	c, _ := client(t, s, nil)
	got, err := c.Snapshots(t.Context(), anyPython, github.Commit{Repo: github.Repo{Owner: "shop", Name: "orders"}, SHA: sha})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_ = fs.WalkDir(got[0].FS(), ".", func(p string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			n++
		}
		return nil
	})
	if n != 40 || got[0].Cut || !strings.Contains(skipped(got[0]), "node_modules/: vendored") {
		t.Errorf("%d files, cut %v, skipped %s", n, got[0].Cut, skipped(got[0]))
	}
}

func TestHostileTree(t *testing.T) {
	s := githubtest.New()
	ok := s.Blob([]byte("x = 1\n"))
	loop := strings.Repeat("c", 40)
	s.SetTree(loop, []githubtest.Entry{{Path: "again", Mode: "040000", Type: "tree", SHA: loop}, {Path: "in.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6}})
	entries := []githubtest.Entry{
		{Path: "../../etc/passwd.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "/abs.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "a//b.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "\x1b[31mred\u202e.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "bad\xff.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "huge.py", Mode: "100644", Type: "blob", SHA: ok, Size: 1 << 30},
		{Path: "lies.py", Mode: "100644", Type: "blob", SHA: strings.Repeat("d", 40), Size: 6},
		{Path: "twice.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "twice.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "twice.py/inner.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
		{Path: "noid.py", Mode: "100644", Type: "blob", SHA: "../../../user", Size: 6},
		{Path: "loop", Mode: "040000", Type: "tree", SHA: loop},
		{Path: "fine.py", Mode: "100644", Type: "blob", SHA: ok, Size: 6},
	}
	sha := s.CommitTree(s.Tree(entries))
	s.TruncateAbove = 5
	s.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, strings.Repeat("d", 40)) {
			fmt.Fprintf(w, "%s", "other = 1\n")
			return true
		}
		return false
	}
	c, _ := client(t, s, nil)
	got, err := c.Snapshots(t.Context(), anyPython, github.Commit{Repo: github.Repo{Owner: "shop", Name: "orders"}, SHA: sha})
	if err != nil {
		t.Fatal(err)
	}
	if !got[0].Cut {
		t.Error("it does not say that something is missing")
	}
	for _, want := range []string{"../../etc/passwd.py: a path that leads elsewhere", "/abs.py: a path that leads", "a//b.py: a path that leads", "huge.py: larger than 5 MB",
		"lies.py: what was sent is not what the tree names", "twice.py: listed twice", "noid.py: no file", "loop/again/: a folder inside of itself"} {
		if !strings.Contains(skipped(got[0]), want) {
			t.Errorf("no %q in\n%s", want, skipped(got[0]))
		}
	}
	if strings.Contains(skipped(got[0]), "\x1b") {
		t.Error("a control character in a reason")
	}
	for _, p := range []string{"fine.py", "loop/in.py"} {
		if _, err := fs.ReadFile(got[0].FS(), p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	if n := len(s.Requests()); n > 20 {
		t.Errorf("%d requests", n)
	}
}

func TestLimits(t *testing.T) {
	s := githubtest.New()
	files := map[string]string{"far/z.py": "z = 1\n", "near/changed.py": "c = 1\n", "near/other.py": "o = 1\n", "a/a.py": "a = 1\n"}
	sha := s.Commit(files)
	c, _ := client(t, s, func(c *github.Config) { c.Limits.Files = 2 })
	want := anyPython
	want.First = func(p string) bool { return p == "near/changed.py" }
	got, err := c.Snapshots(t.Context(), want, github.Commit{Repo: github.Repo{Owner: "shop", Name: "orders"}, SHA: sha})
	if err != nil {
		t.Fatal(err)
	}
	for p, there := range map[string]bool{"near/changed.py": true, "near/other.py": true, "a/a.py": false, "far/z.py": false} {
		if _, err := fs.ReadFile(got[0].FS(), p); (err == nil) != there {
			t.Errorf("%s: %v", p, err)
		}
	}
	if !got[0].Cut || !strings.Contains(skipped(got[0]), "2 source files beyond the limits") {
		t.Errorf("cut %v, %s", got[0].Cut, skipped(got[0]))
	}
}
