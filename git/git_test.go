package git_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/git"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// repository makes a repository with one commit of the files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	run(t, dir, "init", "-q", "-b", "main")
	commit(t, dir, files)
	return dir
}

func commit(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always", "-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir, ref string) *git.Tree {
	t.Helper()
	tree, err := git.Open(t.Context(), dir, ref)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	return tree
}

func holds(t *testing.T, tree fs.FS, name, want string) {
	t.Helper()
	if b, err := fs.ReadFile(tree, name); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
	}
}

// TestTree: the files of a commit, whatever the work tree holds, as a file
// system that the standard library finds correct.
func TestTree(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "one\n", "app/b.py": "two\n", "app/deep/ü 1.py": "three\n", "empty.py": ""})
	if err := os.Symlink("a.py", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	commit(t, dir, nil)
	write(t, filepath.Join(dir, "a.py"), "changed\n")
	tree := open(t, dir, "HEAD")
	if err := fstest.TestFS(tree, "a.py", "app/b.py", "app/deep/ü 1.py", "empty.py"); err != nil && !strings.Contains(err.Error(), "link.py") {
		t.Error(err)
	}
	holds(t, tree, "a.py", "one\n")
	holds(t, tree, "app/deep/ü 1.py", "three\n")
	holds(t, tree, "empty.py", "")
	if _, err := fs.ReadFile(tree, "link.py"); err == nil {
		t.Error("a symbolic link was followed")
	}
	holds(t, open(t, filepath.Join(dir, "app"), "HEAD"), "deep/ü 1.py", "three\n") // from a subfolder, as seen from there
	if tree.Commit != run(t, dir, "rev-parse", "HEAD") || tree.Shallow || len(tree.Gaps) > 0 {
		t.Errorf("%+v", tree)
	}
}

func TestRefs(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "one\n"})
	run(t, dir, "tag", "v1")
	run(t, dir, "switch", "-q", "-c", "topic")
	commit(t, dir, map[string]string{"a.py": "two\n"})
	run(t, dir, "switch", "-q", "main")
	commit(t, dir, map[string]string{"b.py": "main went on\n"})
	run(t, dir, "switch", "-q", "topic")
	for ref, want := range map[string]string{"v1": "one\n", "HEAD": "two\n", "HEAD~1": "one\n", "main...": "one\n", "topic": "two\n", run(t, dir, "rev-parse", "HEAD"): "two\n"} {
		holds(t, open(t, dir, ref), "a.py", want)
	}
	if _, err := fs.Stat(open(t, dir, "main..."), "b.py"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("main... is not where the branch left main: %v", err)
	}
	for ref, want := range map[string]fault.Kind{
		"": fault.BadInput, "-x": fault.BadInput, "--output=pwned": fault.BadInput, "main..topic": fault.BadInput, "main...topic": fault.BadInput, "a\nb": fault.BadInput,
		"nowhere": fault.NotFound, "nowhere...": fault.NotFound, "HEAD:a.py": fault.NotFound, "HEAD^{tree}": fault.NotFound, "HEAD^9": fault.NotFound,
	} {
		if _, err := git.Open(t.Context(), dir, ref); fault.KindOf(err) != want {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if _, err := git.Open(t.Context(), t.TempDir(), "HEAD"); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "--baseline") {
		t.Errorf("no repository: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a ref was taken for an option")
	}
}

// TestNothingIsRun: whatever a repository's configuration and attributes name,
// reading a commit runs none of it, nor does the caller's environment lead
// elsewhere.
func TestNothingIsRun(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "plain\n", ".gitattributes": "* filter=evil diff=evil text eol=crlf ident export-subst\n"})
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil.sh")
	write(t, script, "#!/bin/sh\necho \"$0 $@\" >> "+mark+"\ncat\n")
	for _, name := range []string{"post-checkout", "pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"} {
		write(t, filepath.Join(dir, ".git/hooks", name), "#!/bin/sh\necho hook >> "+mark+"\n")
	}
	for _, s := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "diff.external", "diff.evil.textconv", "diff.evil.command",
		"filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "credential.helper", "pager.ls-tree", "pager.cat-file", "gpg.program", "remote.origin.uploadpack",
		"uploadpack.packObjectsHook", "core.alternateRefsCommand", "trailer.evil.command",
	} {
		run(t, dir, "config", s, script)
	}
	run(t, dir, "config", "alias.ls-tree", "!"+script)
	run(t, dir, "config", "alias.cat-file", "!"+script)
	other := repository(t, map[string]string{"a.py": "elsewhere\n"})
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git/index"))
	t.Setenv("GIT_EXTERNAL_DIFF", script)
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='"+script+"'")
	t.Setenv("GIT_TRACE", mark)
	holds(t, open(t, dir, "HEAD"), "a.py", "plain\n")
	if b, err := os.ReadFile(mark); err == nil {
		t.Errorf("something was run:\n%s", b)
	}
}

// TestMissingIsNotFetched: a partial clone lacks blobs; reading one does not ask
// the remote, whose address may run a command.
func TestMissingIsNotFetched(t *testing.T) {
	origin := repository(t, map[string]string{"a.py": "one\n"})
	run(t, origin, "config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "clone")
	run(t, origin, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+origin, dir)
	mark := filepath.Join(t.TempDir(), "ran")
	run(t, dir, "config", "remote.origin.url", "ext::sh -c touch% "+mark)
	run(t, dir, "config", "protocol.ext.allow", "always")
	tree, err := git.Open(t.Context(), dir, "HEAD")
	if err == nil {
		defer tree.Close()
		_, err = fs.ReadFile(tree, "a.py")
	}
	if err == nil {
		t.Error("a blob that is not here was read")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the remote was asked")
	}
}

func TestWorktreeAndShallow(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "one\n"})
	commit(t, dir, map[string]string{"a.py": "two\n"})
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	holds(t, open(t, linked, "HEAD~1"), "a.py", "one\n")

	shallow := filepath.Join(t.TempDir(), "shallow")
	run(t, dir, "clone", "-q", "--depth", "1", "file://"+dir, shallow)
	if tree := open(t, shallow, "HEAD"); !tree.Shallow {
		t.Error("a shallow clone is not told")
	}
	_, err := git.Open(t.Context(), shallow, "HEAD~1")
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "shallow") || !strings.Contains(err.Error(), "fetch-depth") {
		t.Errorf("%v", err)
	}
}

func TestSubmodules(t *testing.T) {
	lib := repository(t, map[string]string{"pay.py": "one\n"})
	dir := repository(t, map[string]string{"a.py": "app\n"})
	run(t, dir, "submodule", "add", "-q", lib, "vendor/lib")
	run(t, dir, "submodule", "add", "-q", lib, "unused")
	commit(t, dir, nil)
	commit(t, filepath.Join(dir, "vendor/lib"), map[string]string{"pay.py": "two\n"})
	run(t, dir, "submodule", "deinit", "-q", "-f", "unused")
	tree := open(t, dir, "HEAD")
	holds(t, tree, "vendor/lib/pay.py", "one\n") // the recorded commit, not what is checked out
	if len(tree.Gaps) != 0 {
		t.Errorf("gaps %v", tree.Gaps)
	}
	if _, err := fs.Stat(tree, "unused/pay.py"); err == nil {
		t.Error("a submodule that is not checked out has files")
	}
	run(t, dir, "update-index", "--cacheinfo", "160000,1234567890123456789012345678901234567890,vendor/lib")
	run(t, dir, "commit", "-q", "-m", "a commit that nobody has")
	tree = open(t, dir, "HEAD")
	if len(tree.Gaps) != 1 || tree.Gaps[0].Path != "vendor/lib" || !strings.Contains(tree.Gaps[0].Why, "123456789012") {
		t.Errorf("gaps %v", tree.Gaps)
	}
}

func TestCancelled(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "one\n"})
	ctx, cancel := context.WithCancel(t.Context())
	tree, err := git.Open(ctx, dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	cancel()
	if _, err := fs.ReadFile(tree, "a.py"); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end: %v", err)
	}
	if _, err := git.Open(ctx, dir, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("opened after the end: %v", err)
	}
}

func TestNoGit(t *testing.T) {
	dir := repository(t, map[string]string{"a.py": "one\n"})
	t.Setenv("PATH", t.TempDir())
	if _, err := git.Open(t.Context(), dir, "HEAD"); fault.KindOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "Install git") {
		t.Errorf("%v", err)
	}
}
