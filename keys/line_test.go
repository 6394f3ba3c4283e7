package keys_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/keys"
)

// programs wrap the log snippet of a language into a program that writes three
// lines: plain values, a value that needs quotes, and values that are not there.
var programs = map[string]struct {
	file, before, after string
	run                 []string
}{
	"go": {"main.go", "package main\n\nimport (\n\"crypto/rand\"\n\"encoding/hex\"\n\"fmt\"\n\"strconv\"\n\"strings\"\n)\n\n",
		"\nfunc main() {\n_ = bodyID()\nfmt.Println(idemLine(\"start\", \"ChargeCard\", \"7f3a9c02\", \"order-42\", \"88d4\", \"order-42:charge\", \"\"))\n" +
			"fmt.Println(idemLine(\"end\", \"ChargeCard\", \"7f3a9c02\", \"order 4\\\"2\", \"\", \"a=b\\\\c\", \"ok\"))\nfmt.Println(idemLine(\"effect\", \"ChargeCard\", \"7f3a9c02\", \"\", \"\", \"\", \"\"))\n}\n",
		[]string{"go", "run", "main.go"}},
	"python": {"main.py", "import json\nimport re\nimport secrets\n\n",
		"\nbody_id()\nprint(idem_line('start', 'ChargeCard', '7f3a9c02', 'order-42', '88d4', 'order-42:charge'))\n" +
			"print(idem_line('end', 'ChargeCard', '7f3a9c02', 'order 4\"2', '', 'a=b\\\\c', 'ok'))\nprint(idem_line('effect', 'ChargeCard', '7f3a9c02', '', '', ''))\n",
		[]string{"python3", "main.py"}},
	"javascript": {"main.mjs", "import { randomBytes } from \"node:crypto\";\n",
		"\nbodyId();\nconsole.log(idemLine('start', 'ChargeCard', '7f3a9c02', 'order-42', 'order-42:charge'));\n" +
			"console.log(idemLine('end', 'ChargeCard', '7f3a9c02', 'order 4\"2', 'a=b\\\\c', 'ok'));\nconsole.log(idemLine('effect', 'ChargeCard', '7f3a9c02', '', ''));\n",
		[]string{"node", "main.mjs"}},
	"java": {"Main.java", "", "\nclass Main {\n    public static void main(String[] args) {\n        Idem.bodyId();\n        System.out.println(Idem.line(\"start\", \"ChargeCard\", \"7f3a9c02\", \"order-42\", \"88d4\", \"order-42:charge\", \"\"));\n" +
		"        System.out.println(Idem.line(\"end\", \"ChargeCard\", \"7f3a9c02\", \"order 4\\\"2\", \"\", \"a=b\\\\c\", \"ok\"));\n        System.out.println(Idem.line(\"effect\", \"ChargeCard\", \"7f3a9c02\", \"\", null, \"\", \"\"));\n    }\n}\n",
		nil},
}

// TestLogLine runs the log snippet in every language whose tool is there and
// reads the lines back: they are the format that is documented.
func TestLogLine(t *testing.T) {
	for language, p := range programs {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			src := p.before + keys.Code(language, "log").Code + "\n" + p.after
			if err := os.WriteFile(filepath.Join(dir, p.file), []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			run := p.run
			if language == "java" {
				compile := exec.CommandContext(t.Context(), tool(t, "javac"), p.file)
				compile.Dir = dir
				if out, err := compile.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				run = []string{"java", "-cp", dir, "Main"}
			}
			cmd := exec.CommandContext(t.Context(), tool(t, run[0]), run[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != 3 {
				t.Fatalf("%q", lines)
			}
			first := "idem event=start activity=ChargeCard body=7f3a9c02 instance=order-42 execution_id=88d4 key=order-42:charge"
			if language == "javascript" {
				first = strings.Replace(first, " execution_id=88d4", "", 1) // the SDK has none
			}
			if strings.TrimSpace(lines[0]) != first {
				t.Errorf("%s\nwant\n%s", lines[0], first)
			}
			got := logfmt(t, lines[1])
			for k, want := range map[string]string{"event": "end", "instance": `order 4"2`, "key": `a=b\c`, "outcome": "ok"} {
				if got[k] != want {
					t.Errorf("%s = %q, want %q in %s", k, got[k], want, lines[1])
				}
			}
			if strings.TrimSpace(lines[2]) != "idem event=effect activity=ChargeCard body=7f3a9c02" {
				t.Errorf("words without a value: %s", lines[2])
			}
		})
	}
}

// logfmt reads the words after "idem", strictly.
func logfmt(t *testing.T, line string) map[string]string {
	t.Helper()
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "idem ")
	if !ok {
		t.Fatalf("no idem line: %s", line)
	}
	out := map[string]string{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		k, v, ok := strings.Cut(rest, "=")
		if !ok {
			t.Fatalf("%q has no value", rest)
		}
		if strings.HasPrefix(v, `"`) {
			q, err := strconv.QuotedPrefix(v)
			if err != nil {
				t.Fatalf("%q: %v", v, err)
			}
			out[k], err = strconv.Unquote(q)
			if err != nil {
				t.Fatal(err)
			}
			rest = v[len(q):]
			continue
		}
		out[k], rest, _ = strings.Cut(v, " ")
	}
	return out
}
