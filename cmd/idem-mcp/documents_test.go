package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/review/parse"
	"github.com/idem-mcp/idem-mcp/tools"
)

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w*)[^\n]*\n(.*?)^```$")
	inline = regexp.MustCompile("`(idem-mcp [^`\n]+)`")
	// start of a shell line that runs this program
	program = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:idem-mcp|go run ./cmd/idem-mcp) `)
)

var grammars = map[string]parse.Grammar{
	"python": parse.Python, "py": parse.Python, "csharp": parse.CSharp, "cs": parse.CSharp, "java": parse.Java, "go": parse.Go,
	"javascript": parse.JavaScript, "js": parse.JavaScript, "typescript": parse.TypeScript, "ts": parse.TypeScript,
}

// documents are the texts that users read.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md", "../../examples/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all[f] = string(b)
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// TestCodeInDocuments: what stands in a fence with a language is of that
// language.
func TestCodeInDocuments(t *testing.T) {
	blocks := 0
	for name, text := range documents(t) {
		for _, m := range fenced.FindAllStringSubmatch(text, -1) {
			language, code := m[1], m[2]
			blocks++
			switch language {
			case "", "sh", "bash", "text", "console":
			case "json", "yaml", "toml":
				v := viper.New()
				v.SetConfigType(language)
				if err := v.ReadConfig(strings.NewReader(code)); err != nil {
					t.Errorf("%s: %v in\n%s", name, err, code)
				}
			default:
				parses(t, name, language, code)
			}
		}
	}
	if blocks < 12 {
		t.Errorf("%d blocks were read", blocks)
	}
}

func parses(t *testing.T, where, language, code string) {
	t.Helper()
	g, ok := grammars[language]
	if !ok {
		t.Errorf("%s: nothing can check a block of %s", where, language)
		return
	}
	if !parse.BuiltIn {
		t.Skip("this build cannot parse: it needs cgo")
	}
	tree, err := parse.Parse(g, []byte(code))
	if err != nil || tree.Errors() > 0 {
		t.Errorf("%s: %v, %d errors in this %s:\n%s", where, err, tree.Errors(), language, code)
	}
}

// TestCommandsInDocuments: a command that a document, or the help of a command,
// shows is one of this program, with flags that it has; what reads the examples
// is run.
func TestCommandsInDocuments(t *testing.T) {
	lines := map[string]string{}
	for name, text := range documents(t) {
		for _, m := range fenced.FindAllStringSubmatch(text, -1) {
			if !slices.Contains([]string{"", "sh", "bash", "console"}, m[1]) {
				continue
			}
			for line := range strings.Lines(m[2]) {
				if line = strings.TrimSpace(strings.TrimPrefix(line, "$ ")); program.MatchString(line + " ") {
					lines[line] = name
				}
			}
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			lines[m[1]] = name
		}
	}
	for _, c := range (&app{}).root().Commands() {
		for line := range strings.Lines(c.Example) {
			if line = strings.TrimSpace(line); program.MatchString(line + " ") {
				lines[line] = "the help of " + c.Name()
			}
		}
	}
	t.Chdir("../..")
	t.Setenv("HOME", t.TempDir())
	ran := 0
	for line, name := range lines {
		args := words(program.ReplaceAllString(line+" ", ""))
		if err := understood(args); err != nil {
			t.Errorf("%s: %s: %v", name, line, err)
			continue
		}
		if !strings.Contains(line, "examples/") || slices.Contains(args, "serve") || strings.ContainsAny(line, "|<>…") {
			continue
		}
		ran++
		var stdout, stderr bytes.Buffer
		w := world{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: os.Environ(), Now: time.Now}
		if code := execute(t.Context(), w); code == exitError {
			t.Errorf("%s: %s: %s", name, line, stderr.String())
		}
	}
	if len(lines) < 20 || ran < 3 {
		t.Errorf("%d commands were found, %d of them run", len(lines), ran)
	}
}

// words splits a shell line: quotes hold words together, a comment ends it.
func words(line string) []string {
	var out []string
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == '#' && word.Len() == 0:
			return out
		case r == ' ':
			if word.Len() > 0 || open {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// understood reports what is wrong with a command line, without running it.
func understood(args []string) error {
	root := (&app{}).root()
	root.InitDefaultCompletionCmd()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	for i, a := range args { // stands for what the reader fills in
		args[i] = strings.Trim(strings.TrimSuffix(a, "…"), "[]")
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	shell := func(s string) bool { return s != "" && strings.Contains("|<>&", s[:1]) } // the shell's, from there on
	if i := slices.IndexFunc(rest, shell); i >= 0 {
		rest = rest[:i]
	}
	cmd.Flags().AddFlagSet(cmd.InheritedFlags())
	switch err := cmd.ParseFlags(rest); {
	case err != nil && strings.HasPrefix(err.Error(), "flag needs an argument"): // a sentence names the flag
		return nil
	case err != nil:
		return err
	}
	return argumentsOf(cmd)
}

func argumentsOf(cmd *cobra.Command) error {
	if cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

// TestExamplesInAnswers: the code that idem_explain shows parses in its language.
func TestExamplesInAnswers(t *testing.T) {
	var list struct{ Sections []struct{ Heading string } }
	ask := func(args map[string]any, into any) {
		t.Helper()
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tools.All() {
			if c.Name != "idem_explain" {
				continue
			}
			r := c.Call(t.Context(), tools.Deps{Reading: history.Options{}, Now: time.Now}, raw)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			if err := json.Unmarshal(r.JSON, into); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask(map[string]any{"topic": "rules"}, &list)
	seen := map[string]int{}
	for _, rule := range list.Sections {
		var one struct {
			Examples []struct{ Language, Bad, Good string }
		}
		ask(map[string]any{"topic": rule.Heading, "response_format": "detailed"}, &one)
		for _, e := range one.Examples {
			seen[e.Language]++
			parses(t, rule.Heading+" bad", e.Language, e.Bad)
			parses(t, rule.Heading+" good", e.Language, e.Good)
		}
	}
	for _, language := range []string{"python", "csharp", "java", "go", "typescript"} {
		if seen[language] < 20 {
			t.Errorf("%d examples in %s", seen[language], language)
		}
	}
	t.Logf("examples that parse: %v", seen)
}
