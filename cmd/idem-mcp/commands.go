package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
	"github.com/idem-mcp/idem-mcp/links"
	"github.com/idem-mcp/idem-mcp/tools"
)

// app is one execution of the program.
type app struct {
	world
	configPath string
	output     string
	logLevel   string
	kind       string   // --source
	component  string   // --component
	forms      []string // what --output can be beside text and json
	code       int
	open       []io.Closer // what was opened to read from, closed before the process ends
}

// holds keeps what has to be closed, such as a store's connections.
func (a *app) holds(v any) {
	if c, ok := v.(io.Closer); ok {
		a.open = append(a.open, c)
	}
}

// close ends what is held. What was read is answered already, so a failure says
// nothing about it.
func (a *app) close() {
	for _, c := range a.open {
		_ = c.Close()
	}
	a.open = nil
}

func execute(ctx context.Context, w world) int {
	a := &app{world: w, code: exitNothing}
	defer a.close()
	root := a.root() //nolint:contextcheck // cobra hands the context to every command
	root.SetArgs(joinRuns(w.Args))
	root.SetIn(w.Stdin)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(w.Stderr, "idem-mcp: "+err.Error())
		return exitError
	}
	return a.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "idem-mcp",
		Version: thisBuild().whole(),
		Short:   "Was this activity executed twice?",
		Long: `idem-mcp reads recorded workflow runs of Dapr and Catalyst and says which activity
calls were executed more than once, how certain that is, and on what evidence.
It changes nothing. A clean history is "not visible", never "ran once".

Exit codes: 0 nothing found, 1 a repeat was found, 2 read only in part, 3 error.`,
		Example:       "  idem-mcp duplicates examples/runs\n  idem-mcp serve",
		SilenceErrors: true, SilenceUsage: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.configPath, "config", "", "configuration file (default .idem-mcp.yaml here, else ~/.config/idem-mcp/config.yaml)")
	flags.StringVar(&a.output, "output", "text", "text or json")
	flags.StringVar(&a.kind, "source", "", "where runs are read from: "+strings.Join(sourceKinds(), ", "))
	flags.StringVar(&a.component, "component", "", "read runs from the state store of this Dapr component file or folder")
	flags.StringVar(&a.logLevel, "log-level", "", "error, warn, info or debug, to standard error")
	offer(root, "source", sourceKinds())
	offer(root, "log-level", logLevels())
	offerOutput(root)
	root.SetFlagErrorFunc(flagError)
	for _, c := range tools.All() {
		if !isVariant(c) {
			root.AddCommand(a.command(c))
		}
	}
	root.AddCommand(a.serve(), a.worker(), a.engine(), a.token(), a.login(), a.logout(), a.doctor(), a.version())
	return root
}

// command is a capability as a shell command: its arguments are flags, and
// where it reads runs, files and directories may be named.
func (a *app) command(c tools.Capability) *cobra.Command {
	cmd := &cobra.Command{
		Use: c.Command, Short: c.Title, Long: c.Purpose + "\n\nThe same as the MCP tool " + c.Name + ".", Args: cobra.NoArgs,
		Example: example(c),
	}
	if c.Paths {
		cmd.Use += " [PATH…]"
		cmd.Args = cobra.ArbitraryArgs
		cmd.Long += "\nPATH is an exported run, a directory of them, or - for standard input; without one the configured source is read."
	}
	if c.Command == "survey" {
		cmd.Long += "\nWithout --action it starts a survey or goes on with an interrupted one, shows how far it is, and answers.\n--output can also be csv or openmetrics."
	}
	switch c.Positional {
	case "paths":
		cmd.Use += " PATH…"
		cmd.Args = cobra.ArbitraryArgs
		cmd.Long += "\nPATH is a file or folder of source. What its code calls is followed in the whole project around it."
	case "topic":
		cmd.Use += " [TOPIC]"
		cmd.Args = cobra.ArbitraryArgs
		cmd.ValidArgsFunction = offerTopics
	}
	for _, f := range c.Fields {
		if f.Kind == "text" || f.Name == c.Positional || c.Positional == "paths" && f.Name == "language" {
			continue // a history comes from a file or standard input here
		}
		usage := f.Doc
		if len(f.Enum) > 0 && !strings.Contains(usage, f.Enum[0]) {
			usage += " (" + strings.Join(f.Enum, ", ") + ")"
		}
		if f.Runs {
			cmd.Flags().StringSlice(flagName(f), nil, usage+"; followed by a path: exported runs, instead of the configured source")
			cmd.Flags().Lookup(flagName(f)).NoOptDefVal = configuredRuns
			continue
		}
		switch f.Kind {
		case "integer":
			cmd.Flags().Int(flagName(f), 0, usage)
		case "boolean":
			cmd.Flags().Bool(flagName(f), false, usage)
		case "strings":
			cmd.Flags().StringSlice(flagName(f), nil, usage)
		default:
			cmd.Flags().String(flagName(f), f.Default, usage)
		}
		offer(cmd, flagName(f), f.Enum)
	}
	other := variantOf(c)
	other.define(cmd)
	build := &reviewFlags{}
	if c.Command == "review" {
		build.add(cmd)
	}
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if c.Command == "review" && !other.asked(cmd) {
			return a.review(cmd, c, build, paths)
		}
		runs := paths
		if c.Positional != "" {
			runs = namedRuns(cmd, c)
		}
		if c.Command == "survey" {
			a.forms = formsOf("survey")
		}
		deps, _, err := a.deps(runs, true)
		if err != nil {
			return err
		}
		if other.asked(cmd) {
			args, err := other.arguments(cmd, paths)
			if err != nil {
				return err
			}
			return a.answer(other.Call(cmd.Context(), deps, args))
		}
		args, err := arguments(cmd, c, paths)
		if err != nil {
			return err
		}
		if c.Command == "survey" {
			if !cmd.Flags().Changed("action") {
				return a.scan(cmd, c, deps, args)
			}
			return a.surveyed(c.Call(cmd.Context(), deps, args))
		}
		return a.answer(c.Call(cmd.Context(), deps, args))
	}
	return cmd
}

// configuredRuns is the value of a flag such as --with-runs that names no path.
const configuredRuns = "configured"

// joinRuns writes "--with-runs PATH" as "--with-runs=PATH": a flag that can stand
// alone does not take the next word by itself.
func joinRuns(args []string) []string {
	names := map[string]bool{}
	for _, c := range tools.All() {
		for _, f := range c.Fields {
			if f.Runs {
				names["--"+flagName(f)] = true
			}
		}
	}
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		out = append(out, args[i])
		if names[args[i]] && i+1 < len(args) && (args[i+1] == "-" || !strings.HasPrefix(args[i+1], "-")) {
			i++
			out[len(out)-1] += "=" + args[i]
		}
	}
	return out
}

// namedRuns are the exported runs that a flag names.
func namedRuns(cmd *cobra.Command, c tools.Capability) []string {
	for _, f := range c.Fields {
		if !f.Runs {
			continue
		}
		if named, err := cmd.Flags().GetStringSlice(flagName(f)); err == nil && len(named) > 0 && named[0] != configuredRuns {
			return named
		}
	}
	return nil
}

func flagName(f tools.Field) string { return strings.ReplaceAll(f.Name, "_", "-") }

// example shows the capability's example arguments as flags.
func example(c tools.Capability) string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Example), &args) != nil {
		return ""
	}
	line := "  idem-mcp " + c.Command
	for _, f := range c.Fields {
		v, ok := args[f.Name]
		if !ok || f.Kind == "text" {
			continue
		}
		if f.Name == c.Positional {
			line += " " + strings.Trim(fmt.Sprint(v), "[]")
			continue
		}
		if list, ok := v.([]any); ok {
			parts := make([]string, len(list))
			for i, x := range list {
				parts[i] = fmt.Sprint(x)
			}
			v = strings.Join(parts, ",")
		}
		line += fmt.Sprintf(" --%s %v", flagName(f), v)
	}
	const one = " examples/runs/s2-04-label-exhausted"
	switch {
	case c.Command == "explain-call":
		line += "\n  idem-mcp " + c.Command + " --call CreateShippingLabel" + one
	case c.Command == "preview-rerun":
		line += "\n  idem-mcp " + c.Command + " --event ChargeCard examples/runs/s6-01-rerun-src"
	case c.Command == "history":
		line += "\n  idem-mcp " + c.Command + one
	case c.Paths:
		line += "\n  idem-mcp " + c.Command + " examples/runs"
	}
	return line
}

// arguments turns the flags that were given into the tool's arguments.
func arguments(cmd *cobra.Command, c tools.Capability, paths []string) (json.RawMessage, error) {
	args := map[string]any{}
	switch {
	case len(paths) == 0:
	case c.Positional == "paths":
		args["paths"] = paths
	case c.Positional != "":
		args[c.Positional] = strings.Join(paths, " ")
	}
	for _, f := range c.Fields {
		name := flagName(f)
		if f.Kind == "text" || cmd.Flags().Lookup(name) == nil || !cmd.Flags().Changed(name) {
			continue
		}
		if f.Runs {
			args[f.Name] = true
			continue
		}
		var err error
		switch f.Kind {
		case "integer":
			args[f.Name], err = cmd.Flags().GetInt(name)
		case "boolean":
			args[f.Name], err = cmd.Flags().GetBool(name)
		case "strings":
			args[f.Name], err = cmd.Flags().GetStringSlice(name)
		default:
			args[f.Name], err = cmd.Flags().GetString(name)
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(args)
}

// answer prints a result and settles the exit code.
func (a *app) answer(r tools.Result) error {
	if a.output == "json" && r.JSON != nil {
		var b bytes.Buffer
		if err := json.Indent(&b, r.JSON, "", "  "); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.Stdout, b.String()); err != nil {
			return err
		}
	} else if r.Err != nil {
		fmt.Fprintln(a.Stderr, "idem-mcp: "+r.Text)
	} else if _, err := io.WriteString(a.Stdout, r.Text); err != nil {
		return err
	}
	switch {
	case r.Err != nil:
		a.code = exitError
	case r.Found:
		a.code = exitFound
	case r.Partial:
		a.code = exitPartial
	}
	return nil
}

// deps wires what the capabilities need.
func (a *app) deps(paths []string, shell bool) (tools.Deps, config, error) {
	if a.output != "text" && a.output != "json" && !slices.Contains(a.forms, a.output) {
		return tools.Deps{}, config{}, a.outputError()
	}
	c, err := load(a.configPath, a.Env)
	if err != nil {
		return tools.Deps{}, c, err
	}
	if err := a.override(&c, paths); err != nil {
		return tools.Deps{}, c, err
	}
	src, chosen, err := openSource(c, paths, a.Stdin)
	if err != nil {
		return tools.Deps{}, c, err
	}
	a.holds(src)
	source, err := codeAccess(c)
	if err != nil {
		return tools.Deps{}, c, err
	}
	hub, err := openGitHub(c, a.Now)
	if err != nil {
		return tools.Deps{}, c, err
	}
	var stdin io.Reader
	if shell {
		stdin = a.Stdin
	}
	beside, err := outsideOf(c.Outside, stdin)
	if err != nil {
		return tools.Deps{}, c, err
	}
	return tools.Deps{
		Code: source, GitHub: hub, Outside: beside, Survey: a.surveyor(c, src), Source: src, Chosen: chosen, Reading: reading(c), Console: links.FindConsole(c.Catalyst.URL, c.Links.Console),
		Project: links.ParseProject(c.Links.Project), Version: thisBuild().whole(), Build: thisBuild().notes(), Now: a.Now, Shell: shell,
	}, c, nil
}

// override lets flags win over the configuration.
func (a *app) override(c *config, paths []string) error {
	if a.logLevel != "" {
		c.Log.Level = a.logLevel
	}
	if a.kind != "" {
		c.Source.Kind = a.kind
	}
	if a.component != "" {
		if len(paths) > 0 || a.kind != "" && a.kind != "store" {
			return &fault.Error{Kind: fault.BadInput, What: "--component names a state store, and another source is named too", Do: "Keep one of them"}
		}
		c.Source.Kind, c.Source.Component = "store", a.component
	}
	return c.check()
}

// codeAccess says what source may be reviewed: the configured roots, else the working
// directory of the process.
func codeAccess(c config) (tools.Code, error) {
	out := tools.Code{}
	for _, e := range c.Effects {
		out.Effects = append(out.Effects, e.row())
	}
	roots := c.Review.Roots
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return out, &fault.Error{Kind: fault.Config, What: "review.roots holds " + r, Cause: err}
		}
		out.Roots = append(out.Roots, abs)
	}
	return out, nil
}

// logger writes to standard error, whatever the command: on a stdio server
// standard output belongs to the protocol.
func (a *app) logger(c config) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.Log.Level)
	if err != nil {
		level = zerolog.WarnLevel
	}
	return zerolog.New(a.Stderr).Level(level).With().Timestamp().Logger()
}

// flagError names the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflagFlag) { known = append(known, f.Name) })
	msg := "there is no flag --" + name
	if n := nearest.Of(name, known); n != "" {
		msg += "; did you mean --" + n + "?"
	}
	return errors.New(msg + " See: " + cmd.CommandPath() + " --help")
}
