// Package python lowers Python to the reviewer's common form.
package python

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Language is Python.
func Language() *review.Language {
	return &review.Language{Name: "python", Family: "python", Extensions: []string{".py", ".pyi"}, Comment: "#", Lower: lower, Module: module}
}

// module lists the files that `import imported` may mean: relative imports from
// the folder, absolute ones below any folder.
func module(from, imported string) []string {
	if strings.HasPrefix(imported, ".") {
		dir := from
		rest := imported
		for strings.HasPrefix(rest, ".") {
			if i := strings.LastIndexByte(dir, '/'); i >= 0 {
				dir = dir[:i]
			} else {
				dir = ""
			}
			rest = rest[1:]
		}
		p := strings.ReplaceAll(rest, ".", "/")
		if dir != "" {
			p = strings.TrimSuffix(dir+"/"+p, "/")
		}
		if rest == "" {
			return []string{p + "/__init__"}
		}
		return []string{p, p + "/__init__"}
	}
	p := strings.ReplaceAll(imported, ".", "/")
	return []string{"*/" + p, "*/" + p + "/__init__"}
}

type lowering struct {
	file *review.File
	fn   *review.Func
	typ  *review.Type
}

func lower(path string, src []byte) (*review.File, error) {
	t, err := parse.Parse(parse.Python, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	l := &lowering{file: &review.File{Path: path, Language: "python", Errors: t.Errors()}}
	top := &review.Func{Name: "", Line: 1}
	l.file.Top = top
	top.Body = l.block(t.Root())
	return l.file, nil
}

func (l *lowering) block(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for c := range n.Children() {
		out = append(out, l.stmt(c)...)
	}
	return out
}

func st(op review.StmtOp, n parse.Node) *review.Stmt {
	return &review.Stmt{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func (l *lowering) stmt(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "comment":
		l.file.Comments = append(l.file.Comments, review.Comment{Text: strings.TrimLeft(n.Text(), "# "), Line: n.Line()})
		return nil
	case "import_statement", "import_from_statement", "future_import_statement":
		l.imports(n)
		return nil
	case "expression_statement":
		return l.expressionStatement(n)
	case "decorated_definition":
		return l.definition(n.Field("definition"), n)
	case "function_definition", "class_definition":
		return l.definition(n, parse.Node{})
	case "return_statement":
		s := st(review.Return, n)
		if v := n.First(); v.OK() {
			s.Value = l.expr(v)
		}
		return []*review.Stmt{s}
	case "raise_statement":
		s := st(review.Throw, n)
		if v := n.First(); v.OK() {
			s.Value = l.expr(v)
		}
		return []*review.Stmt{s}
	case "if_statement":
		return []*review.Stmt{l.ifs(n)}
	case "for_statement", "while_statement":
		return []*review.Stmt{l.loop(n)}
	case "try_statement":
		return []*review.Stmt{l.try(n)}
	case "with_statement":
		return l.with(n)
	case "match_statement":
		return []*review.Stmt{l.match(n)}
	case "global_statement", "nonlocal_statement":
		if n.Kind() == "nonlocal_statement" {
			return nil
		}
		s := st(review.Let, n)
		s.Name = "global"
		for c := range n.Children() {
			s.Targets = append(s.Targets, &review.Expr{Op: review.OpName, Name: c.Text(), Line: c.Line()})
		}
		return []*review.Stmt{s}
	case "delete_statement":
		var out []*review.Stmt
		for c := range n.Children() {
			s := st(review.Delete, n)
			s.Value = l.expr(c)
			out = append(out, s)
		}
		return out
	case "assert_statement":
		s := st(review.Do, n)
		s.Value = l.opaque(n)
		return []*review.Stmt{s}
	case "break_statement", "continue_statement":
		s := st(review.Jump, n)
		s.Name = strings.TrimSuffix(n.Kind(), "_statement")
		return []*review.Stmt{s}
	case "pass_statement":
		return nil
	case "block":
		return l.block(n)
	}
	s := st(review.Do, n)
	s.Value = l.opaque(n)
	return []*review.Stmt{s}
}

func (l *lowering) imports(n parse.Node) {
	add := func(path, member, name string) {
		l.file.Imports = append(l.file.Imports, review.Import{Path: path, Member: member, Name: name, Line: n.Line()})
	}
	from := n.Field("module_name")
	if n.Has("wildcard_import") {
		add(from.Text(), "*", "")
		return
	}
	for c := range n.Fields("name") {
		name, alias := c.Text(), ""
		if c.Kind() == "aliased_import" {
			name, alias = c.Field("name").Text(), c.Field("alias").Text()
		}
		if from.OK() {
			if alias == "" {
				alias = name
			}
			add(from.Text(), name, alias)
			continue
		}
		if alias == "" {
			alias, _, _ = strings.Cut(name, ".")
			if alias != name {
				add(alias, "", alias)
			}
		}
		add(name, "", alias)
	}
}

func (l *lowering) expressionStatement(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for c := range n.Children() {
		switch c.Kind() {
		case "assignment":
			out = append(out, l.assignment(c))
		case "augmented_assignment":
			s := st(review.Let, c)
			s.Name = strings.TrimSuffix(operator(c), "=")
			s.Targets = []*review.Expr{l.expr(c.Field("left"))}
			s.Value = l.expr(c.Field("right"))
			out = append(out, s)
		default:
			s := st(review.Do, c)
			s.Value = l.expr(c)
			out = append(out, s)
		}
	}
	return out
}

func operator(n parse.Node) string {
	if o := n.Field("operator"); o.OK() {
		return o.Text()
	}
	for c := range n.All() {
		if !c.Named() {
			return c.Text()
		}
	}
	return ""
}

func (l *lowering) assignment(n parse.Node) *review.Stmt {
	s := st(review.Let, n)
	if t := n.Field("type"); t.OK() {
		s.Type = t.Text()
	}
	left, right := n.Field("left"), n.Field("right")
	switch left.Kind() {
	case "pattern_list", "tuple_pattern", "list_pattern":
		for c := range left.Children() {
			s.Targets = append(s.Targets, l.expr(c))
		}
	default:
		s.Targets = []*review.Expr{l.expr(left)}
	}
	for right.Kind() == "assignment" { // a = b = v
		s.Targets = append(s.Targets[:1], s.Targets[1:]...)
		right = right.Field("right")
	}
	if right.OK() {
		s.Value = l.expr(right)
	}
	return s
}

func (l *lowering) definition(n, decorated parse.Node) []*review.Stmt {
	var marks []*review.Expr
	line := n.Line()
	if decorated.OK() {
		for d := range decorated.Children() {
			if d.Kind() == "decorator" {
				marks = append(marks, l.expr(d.First()))
			}
		}
	}
	if n.Kind() == "class_definition" {
		l.class(n, marks)
		return nil
	}
	if n.Kind() != "function_definition" {
		return l.stmt(n)
	}
	fn := l.function(n, marks)
	fn.Line = line
	if l.typ != nil && l.fn == nil {
		return nil
	}
	if fn.Parent != nil {
		s := st(review.Define, n)
		s.Func = fn
		return []*review.Stmt{s}
	}
	return nil
}

func (l *lowering) function(n parse.Node, marks []*review.Expr) *review.Func {
	fn := &review.Func{Name: n.Field("name").Text(), Annotations: marks, Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	fn.Result = n.Field("return_type").Text()
	fn.Exported = !strings.HasPrefix(fn.Name, "_")
	fn.Params = l.params(n.Field("parameters"))
	if l.typ != nil && l.fn == nil {
		fn.Owner = l.typ
		l.typ.Methods = append(l.typ.Methods, fn)
		for _, m := range marks {
			fn.Static = fn.Static || m.Name == "staticmethod"
			fn.Abstract = fn.Abstract || m.Name == "abstractmethod"
		}
		if !fn.Static && len(fn.Params) > 0 {
			fn.Receiver = fn.Params[0].Name
		}
	}
	l.file.Funcs = append(l.file.Funcs, fn)
	outer, typ := l.fn, l.typ
	l.fn = fn
	fn.Body = l.block(n.Field("body"))
	l.fn, l.typ = outer, typ
	if fn.Owner != nil && fn.Name == "__init__" {
		l.initFields(fn)
	}
	return fn
}

// initFields are the attributes a constructor sets: self.x = value.
func (l *lowering) initFields(fn *review.Func) {
	types := map[string]string{}
	for _, p := range fn.Params {
		types[p.Name] = p.Type
	}
	var walk func(body []*review.Stmt)
	walk = func(body []*review.Stmt) {
		for _, s := range body {
			if s.Op == review.Let && len(s.Targets) == 1 {
				t := s.Targets[0]
				if t.Op == review.OpMember && t.X.Op == review.OpName && t.X.Name == fn.Receiver {
					f := review.Field{Name: t.Name, Type: s.Type, Value: s.Value, Line: s.Line}
					if s.Value != nil && s.Value.Op == review.OpName && f.Type == "" {
						f.Type = types[s.Value.Name]
					}
					fn.Owner.Fields = append(fn.Owner.Fields, f)
				}
			}
			walk(s.Body)
			walk(s.Else)
		}
	}
	walk(fn.Body)
}

func (l *lowering) params(n parse.Node) []review.Param {
	var out []review.Param
	for c := range n.Children() {
		p := review.Param{}
		switch c.Kind() {
		case "identifier":
			p.Name = c.Text()
		case "typed_parameter":
			inner := c.First()
			p.Name = strings.TrimLeft(inner.Text(), "*")
			p.Rest = strings.HasPrefix(inner.Text(), "*")
			p.Type = c.Field("type").Text()
		case "default_parameter", "typed_default_parameter":
			p.Name = c.Field("name").Text()
			p.Type = c.Field("type").Text()
			p.Default = l.expr(c.Field("value"))
		case "list_splat_pattern", "dictionary_splat_pattern":
			p.Name = strings.TrimLeft(c.Text(), "*")
			p.Rest = true
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

func (l *lowering) class(n parse.Node, marks []*review.Expr) {
	t := &review.Type{Name: n.Field("name").Text(), Annotations: marks, Line: n.Line(), EndLine: n.EndLine()}
	for c := range n.Field("superclasses").Children() {
		if c.Kind() != "keyword_argument" {
			t.Bases = append(t.Bases, c.Text())
			if b := c.Text(); b == "Protocol" || b == "ABC" || strings.HasSuffix(b, ".ABC") || strings.HasSuffix(b, ".Protocol") {
				t.Interface = true
			}
		}
	}
	l.file.Types = append(l.file.Types, t)
	outer, fn := l.typ, l.fn
	l.typ, l.fn = t, nil
	for c := range n.Field("body").Children() {
		for _, s := range l.stmt(c) {
			if s.Op == review.Let && len(s.Targets) == 1 && s.Targets[0].Op == review.OpName {
				t.Fields = append(t.Fields, review.Field{Name: s.Targets[0].Name, Type: s.Type, Value: s.Value, Static: s.Type == "" && s.Value != nil, Line: s.Line})
			}
		}
	}
	l.typ, l.fn = outer, fn
}

func (l *lowering) ifs(n parse.Node) *review.Stmt {
	s := st(review.If, n)
	s.Value = l.expr(n.Field("condition"))
	s.Body = l.block(n.Field("consequence"))
	cur := s
	for a := range n.Fields("alternative") {
		if a.Kind() == "elif_clause" {
			next := st(review.If, a)
			next.Value = l.expr(a.Field("condition"))
			next.Body = l.block(a.Field("consequence"))
			cur.Else = []*review.Stmt{next}
			cur = next
			continue
		}
		cur.Else = l.block(a.Field("body"))
	}
	return s
}

func (l *lowering) loop(n parse.Node) *review.Stmt {
	s := st(review.Loop, n)
	if n.Kind() == "while_statement" {
		s.Value = l.expr(n.Field("condition"))
	} else {
		s.Value = l.expr(n.Field("right"))
		s.Targets = l.targets(n.Field("left"))
		if c := s.Value; c.Op == review.OpCall && c.X.Name == "enumerate" && len(c.Args) > 0 && len(s.Targets) == 2 {
			s.Targets, s.Value = s.Targets[1:], c.Args[0].Value
		}
	}
	s.Body = l.block(n.Field("body"))
	if e := n.Field("alternative"); e.OK() {
		s.Body = append(s.Body, l.block(e.Field("body"))...)
	}
	return s
}

func (l *lowering) targets(n parse.Node) []*review.Expr {
	switch n.Kind() {
	case "pattern_list", "tuple_pattern", "list_pattern":
		var out []*review.Expr
		for c := range n.Children() {
			out = append(out, l.targets(c)...)
		}
		return out
	}
	return []*review.Expr{l.expr(n)}
}

func (l *lowering) try(n parse.Node) *review.Stmt {
	s := st(review.Try, n)
	s.Body = l.block(n.Field("body"))
	for c := range n.Children() {
		switch c.Kind() {
		case "except_clause", "except_group_clause":
			s.Catches = append(s.Catches, l.except(c))
		case "else_clause":
			s.Else = l.block(c.Field("body"))
		case "finally_clause":
			s.Finally = l.block(c.First("block"))
		}
	}
	return s
}

func (l *lowering) except(n parse.Node) review.Catch {
	k := review.Catch{Line: n.Line()}
	v := n.Field("value")
	if v.Kind() == "as_pattern" {
		k.Name = v.Field("alias").Text()
		v = v.First()
	}
	switch v.Kind() {
	case "tuple":
		for c := range v.Children() {
			k.Types = append(k.Types, c.Text())
		}
	case "":
	default:
		k.Types = []string{v.Text()}
	}
	for c := range n.Children() {
		if c.Kind() == "block" {
			k.Body = l.block(c)
		}
	}
	return k
}

func (l *lowering) with(n parse.Node) []*review.Stmt {
	var items []parse.Node
	for c := range n.Children() {
		if c.Kind() == "with_clause" {
			for i := range c.Children() {
				items = append(items, i)
			}
		}
	}
	body := l.block(n.Field("body"))
	for i := len(items) - 1; i >= 0; i-- {
		s := st(review.With, n)
		v := items[i].Field("value")
		if v.Kind() == "as_pattern" {
			alias := v.Field("alias")
			s.Targets = l.targets(alias.First())
			v = v.First()
		}
		s.Value = l.expr(v)
		s.Body = body
		body = []*review.Stmt{s}
	}
	return body
}

func (l *lowering) match(n parse.Node) *review.Stmt {
	s := st(review.Switch, n)
	s.Value = l.expr(n.Field("subject"))
	for c := range n.Field("body").Children() {
		if c.Kind() != "case_clause" {
			continue
		}
		k := review.Catch{Line: c.Line()}
		for p := range c.Children() {
			if p.Kind() == "case_pattern" && p.Text() != "_" {
				k.Values = append(k.Values, l.opaque(p))
			}
		}
		k.Body = l.block(c.Field("consequence"))
		s.Catches = append(s.Catches, k)
	}
	return s
}
