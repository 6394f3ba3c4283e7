// Package conversations_test replays conversations of people with an assistant
// against the built program over stdio: a question, the calls that an assistant
// is expected to make, and the facts that the answers must and must not hold. A
// conversation is one file in testdata; README.md there explains the form.
package conversations_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"
)

// certified is what no answer may say, whatever the conversation is about.
var certified = regexp.MustCompile(`(?i)\b(ran|runs|run|executed|happened) (exactly |only |just )?once\b|no duplicates?\b|not executed twice`)

func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	bin := filepath.Join(t.TempDir(), "idem-mcp")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/idem-mcp")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	examples, err := filepath.Abs("../../examples/runs")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			t.Parallel()
			replay(t, f, bin, examples)
		})
	}
}

// conversation is one in progress.
type conversation struct {
	t       *testing.T
	dir     string
	files   map[string]string
	schemas map[string]*jsonschema.Schema // of arguments, by tool

	in  io.Writer
	out *bufio.Scanner
	id  int

	tool             string // the last call
	args             map[string]any
	text             string         // the last answer
	body             map[string]any // its structured content, nil for a prompt or resource
	asked            bool
	refused, excused bool
}

func replay(t *testing.T, path, bin, examples string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{t: t, dir: t.TempDir(), files: map[string]string{}, schemas: map[string]*jsonschema.Schema{}}
	head := string(ar.Comment)
	if !strings.Contains(head, "who: ") || !strings.Contains(head, "question: ") {
		t.Error("the file does not begin with who: and question:")
	}
	for _, f := range ar.Files {
		c.files[f.Name] = string(f.Data)
		c.write(f.Name, strings.ReplaceAll(string(f.Data), "$EXAMPLES", examples))
	}
	args := []string{"serve", examples}
	if s, ok := c.files["serve"]; ok {
		args = append([]string{"serve"}, strings.Fields(strings.ReplaceAll(s, "$EXAMPLES", examples))...)
	}
	c.start(bin, args)
	if _, rest, ok := strings.Cut(head, "\nneeds: "); ok {
		if tool, _, _ := strings.Cut(rest, "\n"); c.schemas[strings.TrimSpace(tool)] == nil {
			t.Skipf("this build has no %s", tool)
		}
	}
	for i, line := range strings.Split(c.files["script"], "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			c.step(i+1, line)
		}
	}
	c.settle()
	if !c.asked {
		t.Error("nothing is asked")
	}
}

func (c *conversation) write(name, text string) {
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// start runs the server in the conversation's folder, away from the settings of
// whoever runs the test.
func (c *conversation) start(bin string, args []string) {
	cmd := exec.CommandContext(c.t.Context(), bin, args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"HOME=" + c.dir, "XDG_CONFIG_HOME=" + filepath.Join(c.dir, ".config"), "PATH=" + os.Getenv("PATH")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil && c.t.Context().Err() == nil {
			c.t.Errorf("the server ended with %v: %s", err, stderr.String())
		}
	})
	c.in, c.out = in, bufio.NewScanner(out)
	c.out.Buffer(nil, 16<<20)
	c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "conversation", "version": "1"}})
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var list struct {
		Tools []struct {
			Name        string
			InputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(c.request("tools/list", map[string]any{}), &list); err != nil {
		c.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.InputSchema))
		if err != nil {
			c.t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:///"+tool.Name, doc); err != nil {
			c.t.Fatal(err)
		}
		if c.schemas[tool.Name], err = compiler.Compile("mem:///" + tool.Name); err != nil {
			c.t.Fatal(err)
		}
	}
}

// request sends one request and waits for its result.
func (c *conversation) request(method string, params any) json.RawMessage {
	c.t.Helper()
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "%s\n", line); err != nil {
		c.t.Fatal(err)
	}
	for c.out.Scan() {
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatalf("not JSON-RPC: %s", c.out.Text())
		}
		if m.ID == nil || *m.ID != c.id {
			continue
		}
		if m.Error != nil {
			c.text, c.body, c.refused = m.Error.Message, nil, true
			return nil
		}
		return m.Result
	}
	c.t.Fatalf("%s was not answered: %v", method, c.out.Err())
	return nil
}

// step is one line of a script.
func (c *conversation) step(n int, line string) {
	c.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	at := fmt.Sprintf("line %d: %s", n, line)
	switch word {
	case "call", "follow", "prompt", "read":
		c.settle()
		c.asked, c.refused, c.excused = true, false, false
	default:
		if !c.asked {
			c.t.Fatalf("%s: nothing was asked yet", at)
		}
	}
	switch word {
	case "call":
		tool, args, _ := strings.Cut(rest, " ")
		c.call(at, tool, c.arguments(at, args))
	case "follow":
		c.follow(at, rest)
	case "prompt":
		name, args, _ := strings.Cut(rest, " ")
		c.prompt(name, c.arguments(at, args))
	case "read":
		c.read(rest)
	case "refused":
		c.excused = true
		if !c.refused || !strings.Contains(c.text, rest) {
			c.t.Errorf("%s: refused %v:\n%s", at, c.refused, c.text)
		}
	case "has":
		if !strings.Contains(c.text, rest) {
			c.t.Errorf("%s: the answer is\n%s", at, c.text)
		}
	case "lacks":
		body, _ := json.Marshal(c.body) // came from JSON
		if strings.Contains(c.text, rest) || strings.Contains(string(body), rest) {
			c.t.Errorf("%s: the answer is\n%s\n%s", at, c.text, body)
		}
	case "is":
		c.is(at, rest)
	case "until":
		for end := time.Now().Add(20 * time.Second); !strings.Contains(c.text, rest); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				c.t.Fatalf("%s: it does not come; the answer is\n%s", at, c.text)
			}
			c.receive(c.tool, c.args)
		}
	default:
		c.t.Fatalf("%s: unknown word", at)
	}
}

// settle holds the last answer to what holds for every answer.
func (c *conversation) settle() {
	c.t.Helper()
	if !c.asked {
		return
	}
	if c.refused && !c.excused {
		c.t.Errorf("the call was refused: %s", c.text)
	}
	body, _ := json.Marshal(c.body) // came from JSON
	for _, s := range []string{c.text, string(body)} {
		if m := certified.FindString(s); m != "" {
			c.t.Errorf("an answer says %q:\n%s", m, s)
		}
		if len(s) > 32_000 {
			c.t.Errorf("an answer has %d bytes", len(s))
		}
	}
	if c.body != nil && !c.refused && c.body["next"] == nil {
		if _, cut := c.body["not_visible"]; cut { // not cut to fields
			c.t.Error("an answer does not say what to ask next")
		}
	}
}

// arguments reads JSON in which "@cursor" is that of the last answer and "@file
// NAME" the text of a file of the conversation.
func (c *conversation) arguments(at, text string) map[string]any {
	c.t.Helper()
	args := map[string]any{}
	if text == "" {
		return args
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		c.t.Fatalf("%s: %v", at, err)
	}
	for k, v := range args {
		s, _ := v.(string)
		if s == "@cursor" {
			args[k] = c.body["cursor"]
		}
		if name, ok := strings.CutPrefix(s, "@file "); ok {
			if args[k], ok = c.files[name]; !ok {
				c.t.Fatalf("%s: there is no file %s", at, name)
			}
		}
	}
	return args
}

// call makes a call that fits the tool's own schema, or that is to be refused.
func (c *conversation) call(at, tool string, args map[string]any) {
	c.t.Helper()
	schema := c.schemas[tool]
	if schema == nil {
		c.t.Fatalf("%s: there is no tool %s", at, tool)
	}
	fits := schema.Validate(args)
	c.receive(tool, args)
	if fits != nil && !c.refused {
		c.t.Errorf("%s: the call does not fit the schema: %v", at, fits)
	}
}

func (c *conversation) receive(tool string, args map[string]any) {
	c.t.Helper()
	raw := c.request("tools/call", map[string]any{"name": tool, "arguments": args})
	if raw == nil {
		c.t.Fatalf("%s is a protocol error: %s", tool, c.text)
	}
	var r struct {
		Content           []struct{ Text string }
		StructuredContent map[string]any
		IsError           bool
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		c.t.Fatalf("%s: %v, %s", tool, err, raw)
	}
	c.tool, c.args = tool, args
	c.text, c.body, c.refused = r.Content[0].Text, r.StructuredContent, r.IsError
}

// follow makes a call that the last answer suggested: "follow TOOL" the first one
// of that tool.
func (c *conversation) follow(at, tool string) {
	c.t.Helper()
	next, _ := c.body["next"].([]any)
	for _, n := range next {
		m, _ := n.(map[string]any)
		if m["tool"] == tool {
			args, _ := m["arguments"].(map[string]any)
			c.receive(tool, args)
			return
		}
	}
	c.t.Fatalf("%s: the last answer does not suggest it: %v", at, next)
}

func (c *conversation) prompt(name string, args map[string]any) {
	c.t.Helper()
	raw := c.request("prompts/get", map[string]any{"name": name, "arguments": args})
	var r struct {
		Messages []struct{ Content struct{ Text string } }
	}
	if raw == nil {
		return
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Messages) != 1 {
		c.t.Fatalf("%s: %v, %s", name, err, raw)
	}
	c.text, c.body = r.Messages[0].Content.Text, nil
}

func (c *conversation) read(uri string) {
	c.t.Helper()
	raw := c.request("resources/read", map[string]any{"uri": uri})
	var r struct{ Contents []struct{ Text string } }
	if raw == nil {
		return
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Contents) != 1 {
		c.t.Fatalf("%s: %v, %s", uri, err, raw)
	}
	c.text, c.body = r.Contents[0].Text, nil
}

// is compares one value of the structured content: "is findings.0.kind "retried"".
func (c *conversation) is(at, rest string) {
	c.t.Helper()
	path, want, _ := strings.Cut(rest, " ")
	var v any = c.body
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			i, err := strconv.Atoi(part)
			switch {
			case part == "#":
				v = len(x)
			case err == nil && i < len(x):
				v = x[i]
			default:
				v = nil
			}
		default:
			v = nil
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		c.t.Fatal(err)
	}
	if got := strings.TrimSpace(b.String()); got != want {
		c.t.Errorf("%s: it is %s", at, got)
	}
}
