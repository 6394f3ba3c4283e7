package soak_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
)

// calls are asked at random. Their answers hang on nothing but the source.
var calls = []struct{ tool, args string }{
	{"idem_find_duplicates", `{}`},
	{"idem_find_duplicates", `{"workflow":"ShippingWorkflow"}`},
	{"idem_find_duplicates", `{"response_format":"detailed","limit":20}`},
	{"idem_list_runs", `{"limit":50}`},
	{"idem_list_runs", `{"status":["failed"]}`},
	{"idem_status", `{}`},
	{"idem_explain", `{"topic":"commit_lost"}`},
	{"idem_console_link", `{"app":"orders","run":"order-42"}`},
	{"idem_review_code", `{"language":"python","code":"def charge(ctx, order):\n    requests.post(URL, json=order)\n","symbol":["charge"]}`},
	{"idem_find_duplicates", `{"history":"not a history"}`},
	{"idem_list_runs", `{"limti":5}`},
}

// server is one process of idem-mcp with a source of its own.
type server struct {
	name, url, metrics string
	env, args          []string
	faulty             bool // its source misbehaves on purpose
	right              []string
	proc               *exec.Cmd
}

func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("set SOAK to a duration, or run: make soak TIME=60s")
	}
	bin := filepath.Join(t.TempDir(), "idem-mcp")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../cmd/idem-mcp").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	stand, err := catalysttest.Start(catalysttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stand.Close()
	servers := []*server{
		{name: "file", args: []string{damagedRuns(t)}},
		{name: "store", args: []string{"--component", component(t)}},
		{name: "catalyst", faulty: true, env: []string{"IDEM_MCP_CATALYST_URL=" + stand.URL, "IDEM_MCP_CATALYST_TOKEN=" + stand.IssueToken()}},
	}
	for _, s := range servers {
		s.start(t, bin)
		for _, c := range calls {
			s.right = append(s.right, s.must(t, c.tool, c.args))
		}
	}
	var tk tracker
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	time.AfterFunc(length/4, func() { tk.before(servers) })
	var wg sync.WaitGroup
	wg.Go(func() { trouble(ctx, stand) })
	for i, s := range servers {
		for j := range 2 {
			wg.Go(func() { s.ask(ctx, t, &tk, rand.New(rand.NewPCG(uint64(i), uint64(j)))) })
		}
		wg.Go(func() { s.overStdio(ctx, t, bin, &tk) })
	}
	wg.Wait()
	stand.Heal()
	time.Sleep(3 * time.Second) // idle connections and streams end
	for i, s := range servers {
		tk.after(t, i, s)
		for n, c := range calls {
			if got := s.must(t, c.tool, c.args); got != s.right[n] {
				t.Errorf("%s: %s %s answers otherwise at the end:\n%s\n%s", s.name, c.tool, c.args, got, s.right[n])
			}
		}
	}
	tk.report(t, length)
}

// start starts the process and waits until it listens.
func (s *server) start(t *testing.T, bin string) {
	t.Helper()
	s.metrics = "127.0.0.1:" + strconv.Itoa(20000+rand.N(20000))
	args := append([]string{"serve", "--http", "127.0.0.1:0", "--metrics", s.metrics}, s.args...)
	s.proc = exec.CommandContext(t.Context(), bin, args...)
	s.proc.Env = append(os.Environ(), "HOME="+t.TempDir(), "IDEM_MCP_SERVE_LIMITS_PER_MINUTE=10000000", "IDEM_MCP_SERVE_LIMITS_CONCURRENT=64", "IDEM_MCP_SERVE_AUDIT=false")
	s.proc.Env = append(s.proc.Env, s.env...)
	errs, err := s.proc.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.proc.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.proc.Process.Kill(); _ = s.proc.Wait() })
	var said []string
	sc := bufio.NewScanner(errs)
	for sc.Scan() {
		said = append(said, sc.Text())
		if m := regexp.MustCompile(`http://\S+/mcp`).FindString(sc.Text()); m != "" {
			s.url = m
			go func() { _, _ = io.Copy(io.Discard, errs) }()
			return
		}
	}
	t.Fatalf("%s did not start: %s", s.name, strings.Join(said, "\n"))
}

type answer struct {
	Result *struct {
		IsError bool            `json:"isError"`
		Body    json.RawMessage `json:"structuredContent"`
	} `json:"result"`
}

// call asks over HTTP and returns the structured answer.
func (s *server) call(ctx context.Context, tool, args string) (string, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	b = bytes.TrimSpace(b)
	if i := bytes.Index(b, []byte("data: ")); i >= 0 && b[0] != '{' { // an event stream of one event
		b = b[i+len("data: "):]
	}
	return structured(b)
}

func structured(b []byte) (string, error) {
	var a answer
	if err := json.Unmarshal(b, &a); err != nil || a.Result == nil {
		return "", fmt.Errorf("no answer in %.200s (%w)", b, err)
	}
	return string(a.Result.Body), nil
}

func (s *server) must(t *testing.T, tool, args string) string {
	t.Helper()
	got, err := s.call(t.Context(), tool, args)
	if err != nil {
		t.Fatalf("%s: %s %s: %v", s.name, tool, args, err)
	}
	return got
}

// ask asks at random until ctx is done.
func (s *server) ask(ctx context.Context, t *testing.T, tk *tracker, rnd *rand.Rand) {
	for ctx.Err() == nil {
		n := rnd.IntN(len(calls))
		start := time.Now()
		got, err := s.call(ctx, calls[n].tool, calls[n].args)
		if ctx.Err() != nil {
			return
		}
		tk.took(s.name, time.Since(start))
		switch {
		case err != nil:
			t.Errorf("%s: %s: %v", s.name, calls[n].tool, err)
			return
		case got != s.right[n] && !(s.faulty && admits(got)):
			t.Errorf("%s: %s %s is wrong: %s", s.name, calls[n].tool, calls[n].args, differs(got, s.right[n]))
			return
		}
	}
}

// overStdio runs conversations of its own, each in a new process.
func (s *server) overStdio(ctx context.Context, t *testing.T, bin string, tk *tracker) {
	for ctx.Err() == nil {
		var in bytes.Buffer
		for i, c := range calls {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i, c.tool, c.args)
		}
		cmd := exec.CommandContext(ctx, bin, append([]string{"serve"}, s.args...)...)
		cmd.Env, cmd.Stdin = s.proc.Env, &in
		out, err := cmd.Output()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.Errorf("%s over stdio: %v", s.name, err)
			return
		}
		n := 0
		for line := range bytes.Lines(out) {
			var id struct{ ID int }
			got, err := structured(line)
			if err != nil || json.Unmarshal(line, &id) != nil {
				t.Errorf("%s over stdio: %v", s.name, err)
				return
			}
			n++
			if got != s.right[id.ID] && !(s.faulty && admits(got)) {
				t.Errorf("%s over stdio: %s %s is wrong: %s", s.name, calls[id.ID].tool, calls[id.ID].args, differs(got, s.right[id.ID]))
				return
			}
		}
		if n != len(calls) {
			t.Errorf("%s over stdio: %d answers to %d calls", s.name, n, len(calls))
			return
		}
		tk.conversation()
	}
}

// admits reports whether an answer says that it failed or is not whole.
func admits(got string) bool {
	var a struct {
		Error    *struct{ Kind string }
		Coverage struct{ State string }
		Source   struct{ Problem string }
		Details  []struct{ Value string }
	}
	if json.Unmarshal([]byte(got), &a) != nil {
		return false
	}
	for _, d := range a.Details {
		if strings.HasPrefix(d.Value, "not read") {
			return true
		}
	}
	return a.Error != nil || a.Coverage.State == "partial" || a.Coverage.State == "none" || a.Source.Problem != ""
}

// differs shows the members of an answer that differ from the right one.
func differs(got, want string) string {
	var g, w map[string]json.RawMessage
	if json.Unmarshal([]byte(got), &g) != nil || json.Unmarshal([]byte(want), &w) != nil {
		return got
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(w)) {
		if !bytes.Equal(g[k], w[k]) {
			fmt.Fprintf(&b, "\n%s: %.400s\n  want %.400s", k, g[k], w[k])
		}
	}
	return b.String() + fmt.Sprintf("\ncoverage: %s", g["coverage"])
}

// trouble makes the stand-in misbehave, a little differently all the time.
func trouble(ctx context.Context, stand *catalysttest.Server) {
	kinds := []string{"429", "500", "502", "503", "504", "reset", "half", "html", "redirect", "echo", "denied", "unfilterable", "ORG_UNAVAILABLE", "huge"}
	for i := 0; ctx.Err() == nil; i++ {
		stand.Inject(catalysttest.Fault{Kind: kinds[i%len(kinds)], Times: 1 + i%3})
		select {
		case <-ctx.Done():
		case <-time.After(150 * time.Millisecond):
		}
	}
}

// damagedRuns is the example runs with files among them that are none.
func damagedRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "runs"), os.DirFS("../../examples/runs")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cut.ndjson": `{"eventId":1,"timestamp":"2026-`, "deep.json": strings.Repeat("[", 100_000), "empty.json": "", "binary.pb": "\x00\xff\x80",
		"link.json": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// component is a component file of a state store as a runtime wrote it.
func component(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile("../../dapr/store/sqlite/testdata/state.db")
	if err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "state.db")
	if err := os.WriteFile(db, b, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "store.yaml")
	text := "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata:\n  name: store\nspec:\n  type: state.sqlite\n  version: v1\n  metadata:\n  - name: connectionString\n    value: " + db + "\n  - name: actorStateStore\n    value: \"true\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tracker collects what is measured.
type tracker struct {
	mu            sync.Mutex
	times         map[string][]time.Duration
	conversations int
	first         []map[string]float64
}

func (tk *tracker) took(name string, d time.Duration) {
	tk.mu.Lock()
	defer tk.mu.Unlock()
	if tk.times == nil {
		tk.times = map[string][]time.Duration{}
	}
	tk.times[name] = append(tk.times[name], d)
}

func (tk *tracker) conversation() {
	tk.mu.Lock()
	defer tk.mu.Unlock()
	tk.conversations++
}

var gauges = []string{"go_goroutines", "process_open_fds", "go_memstats_heap_inuse_bytes", "process_resident_memory_bytes"}

// read takes a server's gauges.
func (s *server) read() map[string]float64 {
	res, err := http.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	out := map[string]float64{}
	sc := bufio.NewScanner(res.Body)
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), " ")
		if slices.Contains(gauges, name) {
			out[name], _ = strconv.ParseFloat(value, 64)
		}
	}
	return out
}

// before reads the gauges of all servers while they are busy.
func (tk *tracker) before(servers []*server) {
	var first []map[string]float64
	for _, s := range servers {
		first = append(first, s.read())
	}
	tk.mu.Lock()
	defer tk.mu.Unlock()
	tk.first = first
}

// after compares the gauges of an idle server at the end with those of the busy
// one at the beginning: nothing may have grown.
func (tk *tracker) after(t *testing.T, i int, s *server) {
	t.Helper()
	was, is := tk.first[i], s.read()
	if was == nil || is == nil {
		t.Fatalf("%s: no metrics", s.name)
	}
	for _, g := range gauges {
		t.Logf("%-9s %-30s %.0f → %.0f", s.name, g, was[g], is[g])
		if strings.HasSuffix(g, "bytes") {
			if is[g] > was[g]*1.5+64<<20 {
				t.Errorf("%s: %s grew from %.0f to %.0f", s.name, g, was[g], is[g])
			}
		} else if is[g] > was[g]+8 {
			t.Errorf("%s: %s grew from %.0f to %.0f", s.name, g, was[g], is[g])
		}
	}
}

func (tk *tracker) report(t *testing.T, length time.Duration) {
	t.Helper()
	for name, all := range tk.times {
		slices.Sort(all)
		t.Logf("%-9s %d calls in %s: median %s, p99 %s, longest %s", name, len(all), length, all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
	}
	t.Logf("%d conversations over stdio", tk.conversations)
}
