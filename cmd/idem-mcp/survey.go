package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/survey"
	"github.com/idem-mcp/idem-mcp/tools"
)

// cacheDir is under the user's cache directory, as the environment of this process
// names it.
func cacheDir(getenv func(string) string) string {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "idem-mcp", "survey")
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "idem-mcp", "survey")
}

// scan is what the survey command does when no action is named: it starts or
// resumes a survey, shows how far it is until it ends, and answers.
func (a *app) scan(cmd *cobra.Command, c tools.Capability, deps tools.Deps, args json.RawMessage) error {
	ctx := cmd.Context()
	if deps.Survey == nil {
		return &fault.Error{Kind: fault.Config, What: "there is no folder for surveys", Do: "Set survey.dir"}
	}
	defer deps.Survey.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what it has written is written
	var asked struct {
		App, Workflow, Since, By, Activity string
		Review                             []string
		Limit                              int
		Cursor                             string
		Format                             string `json:"response_format"`
	}
	if err := json.Unmarshal(args, &asked); err != nil {
		return err
	}
	// Arguments that the answer would refuse are refused before anything is scanned:
	// with no surveys set up, any other complaint is of them.
	if r := c.Call(ctx, tools.Deps{Shell: true}, args); fault.KindOf(r.Err) != fault.Config {
		return a.answer(r)
	}
	begin, err := json.Marshal(map[string]string{"action": "start", "app": asked.App, "workflow": asked.Workflow, "since": asked.Since})
	if err != nil {
		return err
	}
	r := c.Call(ctx, deps, begin)
	if r.Err != nil {
		return a.answer(r)
	}
	var started struct {
		Survey struct{ ID string }
	}
	if err := json.Unmarshal(r.JSON, &started); err != nil {
		return err
	}
	if deps.Survey.Shared() {
		fmt.Fprintf(a.Stderr, "survey %s is scheduled; workers read it: idem-mcp worker\n", started.Survey.ID)
	}
	told := &progress{w: a.Stderr, now: a.Now, terminal: isTerminal(a.Stderr)}
	ended, err := deps.Survey.Wait(ctx, started.Survey.ID, told.show)
	told.done(ended)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.Stderr, "Interrupted. The same command goes on with survey %s; to give it up: idem-mcp survey --action cancel --id %s\n", started.Survey.ID, started.Survey.ID)
		a.code = exitPartial
		return nil
	}
	if err != nil {
		return err
	}
	final := map[string]any{}
	if err := json.Unmarshal(args, &final); err != nil {
		return err
	}
	delete(final, "since")
	final["action"], final["id"] = "answer", started.Survey.ID
	if args, err = json.Marshal(final); err != nil {
		return err
	}
	return a.surveyed(c.Call(ctx, deps, args))
}

// surveyed prints a survey's answer, also as a table for other programs.
func (a *app) surveyed(r tools.Result) error {
	if r.Err != nil || a.output == "text" || a.output == "json" {
		return a.answer(r)
	}
	var got struct {
		Survey   struct{ Started time.Time }
		Rows     []survey.Row
		Coverage struct{ State string }
	}
	if err := json.Unmarshal(r.JSON, &got); err != nil {
		return err
	}
	output := a.output
	a.output = "text"
	if err := a.answer(tools.Result{Found: r.Found, Partial: r.Partial}); err != nil {
		return err
	}
	if output == "csv" {
		return survey.WriteCSV(a.Stdout, got.Rows)
	}
	return survey.WriteMetrics(a.Stdout, got.Coverage.State == "complete", got.Survey.Started, got.Rows)
}

// progress shows how far a survey is: one line that is written over on a terminal,
// a line now and then elsewhere.
type progress struct {
	w        io.Writer
	now      func() time.Time
	terminal bool
	shown    time.Time
	last     string
}

const (
	betweenLines = 10 * time.Second
	barWidth     = 24
)

func (p *progress) show(s survey.Survey) {
	line := fmt.Sprintf("%d runs", s.Seen)
	if s.Listed > 0 {
		line = fmt.Sprintf("%d of about %d runs", s.Seen, s.Listed)
	}
	line += fmt.Sprintf(", %d partitions, %d repeats", s.Pages, s.Repeats)
	if rate := s.Rate(); rate > 0 {
		line += fmt.Sprintf(", %.0f runs/s", rate)
	}
	if left, ok := s.Left(); ok {
		line += ", " + left.Round(time.Second).String() + " left"
	}
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[K%s %s", bar(s), line)
	case p.shown.IsZero():
		p.shown = p.now() // a short survey says only how it ended
	case line != p.last && p.now().Sub(p.shown) >= betweenLines:
		fmt.Fprintf(p.w, "survey %s: %s\n", s.ID, line)
		p.shown, p.last = p.now(), line
	}
}

func (p *progress) done(s survey.Survey) {
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K")
	} else if s.State != survey.Running {
		fmt.Fprintf(p.w, "survey %s: %s, %d runs met, %d read\n", s.ID, s.State, s.Seen, s.Reads)
	}
}

// bar is as full as the survey, or moves where the end is not known.
func bar(s survey.Survey) string {
	if s.Listed <= 0 {
		at := int(s.Seen/1000) % barWidth
		return "[" + strings.Repeat(" ", at) + "#" + strings.Repeat(" ", barWidth-1-at) + "]"
	}
	full := int(min(s.Seen, s.Listed) * barWidth / s.Listed)
	return "[" + strings.Repeat("#", full) + strings.Repeat(" ", barWidth-full) + "]"
}

// isTerminal reports whether w is a character device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
