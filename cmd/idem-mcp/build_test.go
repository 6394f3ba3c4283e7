package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// documented returns the YAML blocks of docs/build.md.
func documented(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../../docs/build.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		out = append(out, m[1])
	}
	if len(out) != 2 {
		t.Fatalf("docs/build.md has %d YAML examples", len(out))
	}
	return out
}

const (
	harmless = "import psycopg\nimport dapr.ext.workflow as wf\n\nwfr = wf.WorkflowRuntime()\n\n\n@wfr.activity(name=\"Close\")\ndef close(ctx, order):\n    psycopg.connect('').execute(\"UPDATE orders SET state = 'closed' WHERE id = %s\", (order['id'],))\n"
	harmful  = "\n\n@wfr.activity(name=\"Record\")\ndef record(ctx, order):\n    psycopg.connect('').execute(\"INSERT INTO orders (total) VALUES (%s)\", (order['total'],))\n"
)

// machine runs commands in a repository of its own, with idem-mcp on the PATH.
type machine struct {
	dir string
	env []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is missing: apt-get install " + tool)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "idem-mcp")); err != nil { // TestMain runs the program under this name
		t.Fatal(err)
	}
	s := &machine{dir: t.TempDir(), env: append(os.Environ(), "HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")}
	s.write(t, "shop.py", harmless)
	s.must(t, "git init -q -b main && git add -A && git commit -q -m base")
	return s
}

func (s *machine) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// run executes a script as a GitHub runner does, and returns what it printed on
// both streams and its exit code.
func (s *machine) run(t *testing.T, script string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", script)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (s *machine) must(t *testing.T, script string) {
	t.Helper()
	if out, c := s.run(t, script); c != 0 {
		t.Fatalf("%s: exit code %d\n%s", script, c, out)
	}
}

// TestActionExample runs the steps of the workflow in docs/build.md on a merge
// commit, as a pull request is checked out. What is from elsewhere (actions, the
// installation) is not run.
func TestActionExample(t *testing.T) {
	t.Parallel()
	var flow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Uses, Run, If string
				With                map[string]any
			}
		}
	}
	if err := yaml.Unmarshal([]byte(documented(t)[0]), &flow); err != nil {
		t.Fatal(err)
	}
	s := newMachine(t)
	s.must(t, "git switch -q -c topic")
	s.write(t, "shop.py", harmless+harmful)
	s.must(t, "git commit -q -a -m topic && git switch -q main && git commit -q --allow-empty -m more && git merge -q --no-ff -m merge topic && git clone -q --depth 2 file://$PWD ../checkout-$$ && mv .git .git-full && mv ../checkout-$$/.git .git && rm -r ../checkout-$$")
	ran := 0
	for _, step := range flow.Jobs["review"].Steps {
		switch {
		case strings.HasPrefix(step.Uses, "actions/checkout@"):
			if step.With["fetch-depth"] != 2 {
				t.Errorf("fetch-depth is %v", step.With["fetch-depth"])
			}
		case strings.HasPrefix(step.Name, "Install"):
			if !strings.Contains(step.Run, "go install github.com/idem-mcp/idem-mcp/cmd/idem-mcp@") {
				t.Errorf("it installs %q", step.Run)
			}
		case strings.HasPrefix(step.Name, "Annotate"):
			ran++
			out, c := s.run(t, step.Run)
			if c != exitFound || !strings.Contains(out, "::error file=shop.py,line=14,") || !strings.Contains(out, "1 new finding (1 hazard), 0 existing") {
				t.Errorf("exit code %d\n%s", c, out)
			}
		case strings.HasPrefix(step.Name, "Write"):
			ran++
			if out, c := s.run(t, step.Run); c != 0 || step.If != "always()" {
				t.Errorf("exit code %d\n%s", c, out)
			}
			b, err := os.ReadFile(filepath.Join(s.dir, "idem.sarif"))
			if err != nil || !json.Valid(b) || !bytes.Contains(b, []byte(`"ruleId": "IDEM001"`)) {
				t.Errorf("%v\n%s", err, b)
			}
			s.write(t, "broken.py", "def f(:\n")
			if out, c := s.run(t, step.Run); c != 0 {
				t.Errorf("read only in part: exit code %d\n%s", c, out)
			}
		}
	}
	if ran != 2 {
		t.Errorf("%d steps were run", ran)
	}
}

// TestHookExample runs the entry of the hook in docs/build.md as a hook of git
// itself, and under pre-commit where that is installed.
func TestHookExample(t *testing.T) {
	t.Parallel()
	example := documented(t)[1]
	var config struct {
		Repos []struct {
			Hooks []struct{ Entry string }
		}
	}
	if err := yaml.Unmarshal([]byte(example), &config); err != nil {
		t.Fatal(err)
	}
	install := map[string]func(*testing.T, *machine){
		"git": func(t *testing.T, s *machine) {
			s.write(t, ".git/hooks/pre-commit", "#!/bin/sh\nexec "+config.Repos[0].Hooks[0].Entry+"\n")
		},
		"pre-commit": func(t *testing.T, s *machine) {
			if _, err := exec.LookPath("pre-commit"); err != nil {
				t.Skip("pre-commit is missing: apt-get install pre-commit")
			}
			s.write(t, ".pre-commit-config.yaml", example)
			s.must(t, "git add .pre-commit-config.yaml && git commit -q -m hooks && pre-commit install")
		},
	}
	for name, hook := range install {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMachine(t)
			hook(t, s)
			s.write(t, "shop.py", harmless+harmful)
			if out, c := s.run(t, "git commit -a -m harmful"); c == 0 || !strings.Contains(out, "hazard: Record (python) shop.py:") {
				t.Errorf("exit code %d\n%s", c, out)
			}
			s.write(t, "shop.py", "# harmless\n"+harmless)
			if out, c := s.run(t, "git commit -a -m harmless"); c != 0 {
				t.Errorf("exit code %d\n%s", c, out)
			}
		})
	}
}
