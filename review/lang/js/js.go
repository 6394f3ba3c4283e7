// Package js lowers JavaScript and TypeScript, with JSX, to the reviewer's
// common form. Both are one family: files of either see each other.
package js

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

const family = "js"

// globals are objects of the language whose functions never act.
var globals = []string{"JSON", "Math", "Object", "Array", "Promise", "Number", "String", "Boolean", "Symbol", "Reflect", "Intl", "Buffer", "URL", "URLSearchParams", "Map", "Set", "WeakMap", "RegExp", "BigInt", "Error", "TypeError", "structuredClone", "parseInt", "parseFloat", "isNaN", "encodeURIComponent", "decodeURIComponent", "atob", "btoa", "AbortController", "AbortSignal", "TextEncoder", "TextDecoder", "Uint8Array", "Headers", "FormData", "Blob"}

// JavaScript is JavaScript: ES modules and CommonJS, with JSX.
func JavaScript() *review.Language {
	return &review.Language{Name: "javascript", Family: family, Extensions: []string{".js", ".mjs", ".cjs", ".jsx"}, Comment: "//", Module: module, Globals: globals,
		Lower: func(p string, src []byte) (*review.File, error) { return lower(p, "javascript", parse.JavaScript, src) }}
}

// TypeScript is TypeScript and TSX.
func TypeScript() *review.Language {
	return &review.Language{Name: "typescript", Family: family, Extensions: []string{".ts", ".mts", ".cts", ".tsx"}, Comment: "//", Module: module, Globals: globals,
		Lower: func(p string, src []byte) (*review.File, error) {
			g := parse.TypeScript
			if strings.HasSuffix(strings.ToLower(p), ".tsx") {
				g = parse.TSX
			}
			return lower(p, "typescript", g, src)
		}}
}

// module lists the files an import may mean: relative paths, path aliases
// ("@/x", "~/x", "src/x") and packages of the same workspace.
func module(from, imported string) []string {
	p := imported
	for _, ext := range []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"} {
		if s, ok := strings.CutSuffix(p, ext); ok {
			p = s
			break
		}
	}
	switch {
	case strings.HasPrefix(p, "."):
		p = path.Join(path.Dir(from), p)
		if p == ".." || strings.HasPrefix(p, "../") {
			return nil
		}
		if p == "." {
			return []string{"index"}
		}
		return []string{p, p + "/index"}
	case strings.HasPrefix(p, "@/"), strings.HasPrefix(p, "~/"), strings.HasPrefix(p, "#/"), strings.HasPrefix(p, "$/"):
		p = p[2:]
		return []string{"*/src/" + p, "*/src/" + p + "/index", "*/" + p, "*/" + p + "/index"}
	case strings.HasPrefix(p, "$lib/"):
		p = p[len("$"):]
		return []string{"*/src/" + p, "*/src/" + p + "/index"}
	case strings.HasPrefix(p, "src/"), strings.HasPrefix(p, "app/"), strings.HasPrefix(p, "lib/"):
		return []string{"*/" + p, "*/" + p + "/index"}
	}
	return workspace(p)
}

// published are scopes whose packages come from a registry, whatever folders
// the repository has.
var published = []string{"@temporalio", "@nestjs", "@aws-sdk", "@azure", "@google-cloud", "@dapr", "@prisma", "@types", "@opentelemetry", "@octokit", "@slack", "@sendgrid", "@microsoft", "@grpc", "@apollo", "@trpc", "@tanstack", "@radix-ui", "@langchain", "@ai-sdk", "@supabase", "@elastic"}

// workspace are the places where a monorepo keeps the source of a package that
// is imported by its name.
func workspace(p string) []string {
	scope, rest, ok := strings.Cut(p, "/")
	if !strings.HasPrefix(scope, "@") {
		if strings.ContainsAny(p, ":") || p == "" {
			return nil
		}
		return []string{"*/packages/" + p + "/src/index", "*/packages/" + p + "/index", "*/packages/" + p + "/src/main"}
	}
	for _, s := range published {
		if scope == s {
			return nil
		}
	}
	if !ok || rest == "" {
		return nil
	}
	name, sub, deep := strings.Cut(rest, "/")
	var out []string
	if scope != "@" { // a path alias: "@shared/utils" is src/shared/utils
		alias := "*/" + scope[1:] + "/" + rest
		out = []string{"*/src/" + alias[2:], "*/src/" + alias[2:] + "/index", alias, alias + "/index"}
	}
	if !deep {
		out = append(out, "*/"+name+"/src/index")
	}
	for _, dir := range []string{"packages", "libs", "apps", "shared"} {
		if deep {
			out = append(out, "*/"+dir+"/"+name+"/src/"+sub, "*/"+dir+"/"+name+"/"+sub, "*/"+dir+"/"+name+"/src/"+sub+"/index", "*/"+dir+"/"+name+"/"+sub+"/index")
		} else {
			out = append(out, "*/"+dir+"/"+name+"/src/index", "*/"+dir+"/"+name+"/index")
		}
	}
	return out
}

type lowering struct {
	file    *review.File
	fn      *review.Func
	typ     *review.Type
	exports map[string]bool
}

func lower(p, lang string, g parse.Grammar, src []byte) (*review.File, error) {
	t, err := parse.Parse(g, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	l := &lowering{file: &review.File{Path: p, Language: lang, Errors: t.Errors()}, exports: map[string]bool{}}
	l.file.Top = &review.Func{Line: 1}
	l.file.Top.Body = l.block(t.Root())
	for _, fn := range l.file.Funcs {
		if fn.Owner == nil && fn.Parent == nil && l.exports[fn.Name] {
			fn.Exported = true
			delete(l.exports, fn.Name)
		}
	}
	l.file.Exports = slices.Sorted(maps.Keys(l.exports))
	return l.file, nil
}

func st(op review.StmtOp, n parse.Node) *review.Stmt {
	return &review.Stmt{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func name(s string, n parse.Node) *review.Expr {
	return &review.Expr{Op: review.OpName, Name: s, Line: n.Line(), EndLine: n.EndLine()}
}

// block lowers the statements of n; nested function declarations come first,
// since they are hoisted.
func (l *lowering) block(n parse.Node) []*review.Stmt {
	var out, hoisted []*review.Stmt
	for c := range n.Children() {
		if k := c.Kind(); k == "function_declaration" || k == "generator_function_declaration" {
			hoisted = append(hoisted, l.stmt(c)...)
		}
	}
	for c := range n.Children() {
		if k := c.Kind(); k != "function_declaration" && k != "generator_function_declaration" {
			out = append(out, l.stmt(c)...)
		}
	}
	return append(hoisted, out...)
}

// body is a block or a single statement.
func (l *lowering) body(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "":
		return nil
	case "statement_block":
		return l.block(n)
	case "else_clause":
		return l.body(n.First())
	}
	return l.stmt(n)
}

func (l *lowering) stmt(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "", "empty_statement", "debugger_statement", "hash_bang_line", "function_signature":
		return nil
	case "comment":
		l.file.Comments = append(l.file.Comments, review.Comment{Text: strings.Trim(n.Text(), "/* \n"), Line: n.Line()})
		return nil
	case "import_statement":
		l.imports(n)
		return nil
	case "export_statement":
		return l.export(n)
	case "ambient_declaration":
		return nil
	case "expression_statement":
		return l.expressionStatement(n.First())
	case "lexical_declaration", "variable_declaration":
		return l.variables(n, false)
	case "function_declaration", "generator_function_declaration":
		return l.define(l.function(n, n.Field("name").Text()), n)
	case "class_declaration", "abstract_class_declaration":
		l.class(n, n.Field("name").Text(), nil)
		return nil
	case "interface_declaration", "type_alias_declaration", "enum_declaration":
		l.declaredType(n)
		return nil
	case "module", "internal_module":
		return l.block(n.Field("body"))
	case "statement_block":
		s := st(review.Block, n)
		s.Body = l.block(n)
		return []*review.Stmt{s}
	case "return_statement":
		s := st(review.Return, n)
		s.Value = l.expr(n.First())
		refusal(s)
		return l.caught(s)
	case "throw_statement":
		s := st(review.Throw, n)
		s.Value = l.expr(n.First())
		return []*review.Stmt{s}
	case "if_statement":
		s := st(review.If, n)
		s.Value = l.expr(n.Field("condition"))
		s.Body, s.Else = l.body(n.Field("consequence")), l.body(n.Field("alternative"))
		return []*review.Stmt{s}
	case "for_statement", "for_in_statement", "while_statement", "do_statement":
		return l.loop(n)
	case "try_statement":
		return []*review.Stmt{l.try(n)}
	case "switch_statement":
		return []*review.Stmt{l.cases(n)}
	case "break_statement", "continue_statement":
		s := st(review.Jump, n)
		s.Name = strings.TrimSuffix(n.Kind(), "_statement")
		return []*review.Stmt{s}
	case "labeled_statement", "with_statement":
		return l.body(n.Field("body"))
	}
	s := st(review.Do, n)
	s.Value = l.expr(n)
	return []*review.Stmt{s}
}

// define enters a nested function where it stands; those of the file are found
// by name.
func (l *lowering) define(fn *review.Func, n parse.Node) []*review.Stmt {
	if fn.Parent == nil {
		return nil
	}
	s := st(review.Define, n)
	s.Func = fn
	return []*review.Stmt{s}
}

func (l *lowering) expressionStatement(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "assignment_expression":
		if out, ok := l.commonExport(n); ok {
			return out
		}
		s := st(review.Let, n)
		s.Targets = []*review.Expr{l.expr(n.Field("left"))}
		s.Value = l.expr(n.Field("right"))
		return l.caught(s)
	case "augmented_assignment_expression":
		s := st(review.Let, n)
		s.Name = strings.TrimSuffix(n.Field("operator").Text(), "=")
		s.Targets = []*review.Expr{l.expr(n.Field("left"))}
		s.Value = l.expr(n.Field("right"))
		return []*review.Stmt{s}
	case "update_expression":
		s := st(review.Let, n)
		s.Name = n.Field("operator").Text()[:1]
		s.Targets = []*review.Expr{l.expr(n.Field("argument"))}
		s.Value = &review.Expr{Op: review.OpNumber, Name: "1", Line: n.Line(), EndLine: n.EndLine()}
		return []*review.Stmt{s}
	case "sequence_expression":
		var out []*review.Stmt
		for c := range n.Children() {
			out = append(out, l.expressionStatement(c)...)
		}
		return out
	case "binary_expression":
		if op := n.Field("operator").Text(); op == "&&" || op == "||" { // cond && act()
			s := st(review.If, n)
			s.Value = l.expr(n.Field("left"))
			then := l.expressionStatement(n.Field("right"))
			if op == "&&" {
				s.Body = then
			} else {
				s.Else = then
			}
			return []*review.Stmt{s}
		}
	case "ternary_expression":
		s := st(review.If, n)
		s.Value = l.expr(n.Field("condition"))
		s.Body, s.Else = l.expressionStatement(n.Field("consequence")), l.expressionStatement(n.Field("alternative"))
		return []*review.Stmt{s}
	case "internal_module":
		return l.stmt(n)
	case "unary_expression":
		switch n.Field("operator").Text() {
		case "delete":
			s := st(review.Delete, n)
			s.Value = l.expr(n.Field("argument"))
			return []*review.Stmt{s}
		case "void":
			return l.expressionStatement(n.Field("argument"))
		}
	}
	s := st(review.Do, n)
	s.Value = l.expr(n)
	return l.caught(s)
}

// caught turns a statement that ends in promise.catch(handler) into a try: the
// handler decides whether the failure leaves the body.
func (l *lowering) caught(s *review.Stmt) []*review.Stmt {
	at := &s.Value
	for *at != nil && (*at).Op == review.OpAwait {
		at = &(*at).X
	}
	c := *at
	if c == nil || c.Op != review.OpCall || c.X == nil || c.X.Op != review.OpMember || c.X.Name != "catch" || len(c.Args) != 1 {
		return []*review.Stmt{s}
	}
	h := c.Args[0].Value
	if h == nil || h.Op != review.OpLambda {
		return []*review.Stmt{s}
	}
	*at = c.X.X
	try := &review.Stmt{Op: review.Try, Line: s.Line, EndLine: s.EndLine, Body: []*review.Stmt{s}}
	k := review.Catch{Line: h.Line, Body: results(h.Func.Body)}
	if len(h.Func.Params) > 0 {
		k.Name = h.Func.Params[0].Name
	}
	try.Catches = []review.Catch{k}
	return []*review.Stmt{try}
}

// results keeps what a handler does and drops that it returns: the body goes on
// after it.
func results(body []*review.Stmt) []*review.Stmt {
	var out []*review.Stmt
	for _, s := range body {
		c := *s
		switch c.Op {
		case review.Return:
			c.Op = review.Do
			if c.Value == nil {
				continue
			}
		case review.If, review.Block:
			c.Body, c.Else = results(c.Body), results(c.Else)
		}
		out = append(out, &c)
	}
	return out
}

func (l *lowering) loop(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	s := st(review.Loop, n)
	switch n.Kind() {
	case "for_statement":
		out = append(out, l.stmt(n.Field("initializer"))...)
		if c := n.Field("condition"); c.Kind() == "expression_statement" {
			s.Value = l.expr(c.First())
		} else if c.Kind() != "empty_statement" {
			s.Value = l.expr(c)
		}
	case "for_in_statement":
		s.Targets = []*review.Expr{l.pattern(n.Field("left"))}
		s.Value = l.expr(n.Field("right"))
		s.Type = "var"
		if t := s.Targets[0]; t != nil && t.Op == review.OpList && len(t.Args) > 0 { // [key, value] of entries
			s.Targets = nil
			for _, a := range t.Args {
				if a.Value != nil {
					s.Targets = append(s.Targets, a.Value)
				}
			}
		}
	default:
		s.Value = l.expr(n.Field("condition"))
	}
	s.Body = l.body(n.Field("body"))
	if i := n.Field("increment"); i.OK() {
		s.Body = append(s.Body, l.expressionStatement(i)...)
	}
	return append(out, s)
}

func (l *lowering) try(n parse.Node) *review.Stmt {
	s := st(review.Try, n)
	s.Body = l.block(n.Field("body"))
	if h := n.Field("handler"); h.OK() {
		k := review.Catch{Line: h.Line(), Body: l.block(h.Field("body"))}
		if p := h.Field("parameter"); p.Kind() == "identifier" {
			k.Name = p.Text()
		}
		s.Catches = []review.Catch{k}
	}
	if f := n.Field("finalizer"); f.OK() {
		s.Finally = l.block(f.Field("body"))
	}
	return s
}

func (l *lowering) cases(n parse.Node) *review.Stmt {
	s := st(review.Switch, n)
	s.Value = l.expr(n.Field("value"))
	var open []*review.Expr // cases that fall through without a body
	for c := range n.Field("body").Children() {
		if c.Kind() != "switch_case" && c.Kind() != "switch_default" {
			continue
		}
		k := review.Catch{Line: c.Line(), Values: open}
		if v := c.Field("value"); v.OK() {
			k.Values = append(k.Values, l.expr(v))
		}
		for b := range c.Fields("body") {
			k.Body = append(k.Body, l.body(b)...)
		}
		if len(k.Body) == 0 && c.Kind() == "switch_case" {
			open = k.Values
			continue
		}
		open = nil
		if c.Kind() == "switch_default" {
			k.Values = nil
		}
		s.Catches = append(s.Catches, k)
	}
	return s
}

// refusal turns `return res.status(400).json(…)` into a throw: in an HTTP
// handler an error answer is how it raises.
func refusal(s *review.Stmt) {
	for e := s.Value; e != nil; e = e.X {
		if e.Op != review.OpCall || e.X == nil || e.X.Op != review.OpMember {
			continue
		}
		if (e.X.Name == "status" || e.X.Name == "code" || e.X.Name == "sendStatus") && len(e.Args) > 0 && e.Args[0].Value != nil && e.Args[0].Value.Op == review.OpNumber {
			if c := e.Args[0].Value.Name; len(c) == 3 && (c[0] == '4' || c[0] == '5') {
				s.Op = review.Throw
			}
			return
		}
	}
}
