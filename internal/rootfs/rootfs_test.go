package rootfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/internal/rootfs"
)

// folders makes a root with more folders than stay open, links that stay and links
// that leave, and returns the files in it.
func folders(t *testing.T) (root string, files []string) {
	t.Helper()
	outside := t.TempDir()
	root = t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "secret"), "outside")
	for i := range 50 {
		name := fmt.Sprintf("a/%d/b/file", i)
		write(filepath.Join(root, name), name)
		files = append(files, name)
	}
	for link, to := range map[string]string{"out": outside, "up": "../" + filepath.Base(outside), "in": "a/1/b", "a/1/sideways": "../2/b"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root, files
}

func open(t *testing.T, dir string) *rootfs.FS {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := rootfs.New(root)
	t.Cleanup(func() { f.Close(); root.Close() })
	return f
}

func TestReads(t *testing.T) {
	dir, files := folders(t)
	for _, link := range []string{"out", "up", "in", "a/1/sideways"} { // a walk of the standard test follows none
		if err := os.Remove(filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := fstest.TestFS(open(t, dir), files...); err != nil {
		t.Error(err)
	}
}

func TestLinks(t *testing.T) {
	dir, _ := folders(t)
	f := open(t, dir)
	for range 2 { // with the folders opened, and before
		for _, name := range []string{"out/secret", "up/secret", "../x", "/etc/hostname", "a/../../x"} {
			if b, err := fs.ReadFile(f, name); err == nil {
				t.Errorf("%s leaves the root: %q", name, b)
			}
		}
		for name, want := range map[string]string{"in/file": "a/1/b/file", "a/1/sideways/file": "a/2/b/file"} {
			if b, err := fs.ReadFile(f, name); err != nil || string(b) != want {
				t.Errorf("%s: %q, %v; a link under the root is followed", name, b, err)
			}
		}
	}
	if _, err := f.Open("a/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want not exist", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	dir, files := folders(t)
	f := open(t, dir)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, name := range files {
				if b, err := fs.ReadFile(f, name); err != nil || string(b) != name {
					t.Errorf("%s: %q, %v", name, b, err)
				}
			}
		})
	}
	wg.Wait()
}
