package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/links"
	"github.com/idem-mcp/idem-mcp/survey"
)

// Deps is what a capability may use. Everything in it only reads.
type Deps struct {
	// Source is where runs are read from; Chosen says why this one.
	Source history.Source
	Chosen string
	// Reading governs how inline text becomes a run.
	Reading history.Options
	// Console and Project are for links of Catalyst runs.
	Console links.Console
	Project links.Project
	// Code governs what source may be reviewed.
	Code Code
	// GitHub is where pull requests are read from; nil without one.
	GitHub *github.Client
	// Outside governs how logs, spans, provider lists and intents are read.
	Outside Outside
	// Survey makes and reads surveys of Source; nil: there are none here.
	Survey  *survey.Surveyor
	Version string
	// Build says where this program was built from and what it lacks; for the
	// server's info.
	Build string
	Now   func() time.Time
	// Shell is set for a person at a terminal: no size budget, and what to do
	// next is written as a command.
	Shell bool
	// Called, if set, is told of every tool call: the tool, "answered" or the kind of
	// its error, how long it took, and the bytes of the answer.
	Called func(ctx context.Context, tool, outcome string, took time.Duration, size int)

	cache *nameCache // of a server; nil: names are read when they are needed
}

// Budget is the largest answer an assistant is given, in bytes of JSON or of
// text: 8k tokens of 4 bytes.
const Budget = 32_000

// Capability is one thing the product can do. define makes it; every field is
// set.
type Capability struct {
	Name    string // "idem_find_duplicates"
	Command string // "duplicates"
	Title   string
	Purpose string // two sentences at most: when to use it, and what it cannot show
	Example string // arguments, as JSON
	Paths   bool   // the command takes files and directories to read runs from
	// Positional is the argument that a command's plain words fill: "paths" of
	// source, a "topic". Empty: none, or Paths.
	Positional string
	Fields     []Field

	answer reflect.Type
	call   func(context.Context, Deps, json.RawMessage) Result
}

// Call checks args, a JSON object, and answers. It never panics and never
// returns a Go error: what went wrong is part of the result.
func (c Capability) Call(ctx context.Context, d Deps, args json.RawMessage) Result {
	return c.call(ctx, d, args)
}

// Result is an answer in both forms. They come from one value.
type Result struct {
	Text string
	JSON json.RawMessage
	// Err is what went wrong, nil for an answer.
	Err error
	// Found reports a finding that is a repeat; Partial that not all that was
	// asked could be read.
	Found, Partial bool
}

// definition is the literal a capability's file starts with.
type definition[In asked, Out reply] struct {
	Name, Command, Title, Purpose, Example string
	Paths                                  bool
	Positional                             string
	Run                                    func(context.Context, Deps, In) (Out, error)
}

// asked is an input value: a struct that embeds Page, so that every tool takes
// response_format, limit, cursor and fields.
type asked interface{ fields() []string }

// reply is an answer value: a pointer to a struct that embeds Answer.
type reply interface {
	common() *Answer
	render(*text)
}

// define makes a capability of a typed handler. There is no way to declare one
// that writes.
func define[In asked, Out reply](d definition[In, Out]) Capability {
	fields := fieldsOf(reflect.TypeFor[In]())
	c := Capability{
		Name: d.Name, Command: d.Command, Title: d.Title, Purpose: d.Purpose, Example: d.Example, Paths: d.Paths, Positional: d.Positional,
		Fields: fields, answer: reflect.TypeFor[Out]().Elem(),
	}
	c.call = func(ctx context.Context, deps Deps, raw json.RawMessage) (res Result) {
		defer func() {
			if p := recover(); p != nil {
				res = failed(deps, c, &fault.Error{
					What: "answering " + d.Name, Means: "nothing is known from this call; this is a fault in idem-mcp, not in the run",
					Do: "Please report it with the arguments that led to it", Cause: &panicked{value: p},
				})
			}
		}()
		var in In
		if err := decode(fields, raw, &in); err != nil {
			return failed(deps, c, err)
		}
		keep := in.fields()
		if err := c.knows(keep); err != nil {
			return failed(deps, c, err)
		}
		out, err := d.Run(ctx, deps, in)
		if err != nil {
			return failed(deps, c, err)
		}
		return succeeded(deps, out, c.part(keep))
	}
	return c
}

// panicked is a recovered panic. Its text says nothing of the value, which may
// hold what an application wrote; a log of the type is enough to find the place.
type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprintf("internal error (%T)", p.value) }

func succeeded(d Deps, out reply, p *part) Result {
	a := out.common()
	if len(a.Next) == 0 { // a tool that knows of nothing better
		a.Next = []Next{{Tool: "idem_explain", Arguments: map[string]string{}, Why: "what the findings, rules and words here mean"}}
	}
	d.readHere(a.Next)
	a.settle()
	body, err := json.Marshal(out)
	if err != nil {
		return Result{Err: fmt.Errorf("encode the answer: %w", err), Text: "The answer could not be encoded."}
	}
	t := &text{shell: d.Shell, part: p}
	if p == nil {
		out.render(t)
	} else if body, err = p.cut(body, t, a); err != nil {
		return Result{Err: err, Text: "The answer could not be cut to fields."}
	}
	return Result{Text: t.String(), JSON: body, Found: a.found, Partial: a.Coverage.State == "partial" || a.Coverage.State == "none" || d.Shell && a.Truncated && a.examined}
}

// problem is an error as an agent reads it.
type problem struct {
	Kind    string   `json:"kind"`
	What    string   `json:"what"`
	Means   string   `json:"means,omitempty"`
	Do      string   `json:"do,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
}

func failed(_ Deps, c Capability, err error) Result {
	p := problem{Kind: fault.KindOf(err).String(), What: clean.Line(err.Error(), 1500)}
	var f *fault.Error
	if errors.As(err, &f) {
		p.What, p.Means, p.Do = f.What, f.Means, f.Do
		if f.Cause != nil {
			p.What += ": " + f.Cause.Error()
		}
		p.What = clean.Line(p.What, 1500)
	}
	var bad *badArgument
	if errors.As(err, &bad) {
		p.Kind, p.Allowed = fault.BadInput.String(), bad.allowed
		p.Do = bad.do
	}
	if p.Do == "" && len(c.Example) > 0 && p.Kind == fault.BadInput.String() {
		p.Do = "For example: " + c.Name + " " + c.Example
	}
	var b strings.Builder
	for _, s := range [...]string{ended(p.What), sentence(p.Means), sentence(p.Do)} { // what failed may begin with a name
		if s != "" {
			b.WriteString(s + "\n")
		}
	}
	body, _ := json.Marshal(struct { // strings always marshal
		Summary string  `json:"summary"`
		Error   problem `json:"error"`
	}{p.What, p})
	return Result{Text: strings.TrimSuffix(b.String(), "\n"), JSON: body, Err: err}
}
