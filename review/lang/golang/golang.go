// Package golang lowers Go to the reviewer's common form.
package golang

import (
	"path"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Language is Go.
func Language() *review.Language {
	return &review.Language{Name: "go", Family: "go", Extensions: []string{".go"}, Comment: "//", Lower: lower, Module: module}
}

// module lists the folders an import path may mean: its last segments, most of
// them first. The standard library is never in the repository.
func module(_, imported string) []string {
	parts := strings.Split(imported, "/")
	if !strings.Contains(parts[0], ".") && len(parts) < 2 {
		return nil
	}
	var out []string
	for i := range parts {
		if tail := strings.Join(parts[i:], "/"); i > 0 || len(parts) == 1 {
			if i == len(parts)-1 && len(parts) > 3 && strings.Contains(parts[0], ".") {
				out = append(out, tail) // one folder name says too little, unless it stands at the root
				break
			}
			out = append(out, "*/"+tail)
		}
	}
	return out
}

type lowering struct {
	file    *review.File
	fn      *review.Func
	typs    map[string]*review.Type
	failing bool // in the branch of a failed call
}

func lower(p string, src []byte) (*review.File, error) {
	t, err := parse.Parse(parse.Go, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	l := &lowering{file: &review.File{Path: p, Language: "go", Errors: t.Errors()}, typs: map[string]*review.Type{}}
	l.file.Top = &review.Func{Line: 1}
	for n := range t.Root().Children() {
		if n.Kind() == "type_declaration" {
			l.types(n)
		}
	}
	for n := range t.Root().Children() {
		l.top(n)
	}
	return l.file, nil
}

func (l *lowering) top(n parse.Node) {
	switch n.Kind() {
	case "package_clause":
		l.file.Package = n.First().Text()
	case "import_declaration":
		l.imports(n)
	case "function_declaration", "method_declaration":
		l.function(n)
	case "var_declaration", "const_declaration":
		l.file.Top.Body = append(l.file.Top.Body, l.vars(n)...)
	case "comment":
		l.comment(n)
	}
}

func (l *lowering) comment(n parse.Node) {
	l.file.Comments = append(l.file.Comments, review.Comment{Text: strings.Trim(n.Text(), "/* \n"), Line: n.Line()})
}

func (l *lowering) imports(n parse.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case "import_spec_list":
			l.imports(c)
		case "import_spec":
			p := strings.Trim(c.Field("path").Text(), "\"`")
			im := review.Import{Path: p, Line: c.Line()}
			if a := c.Field("name"); a.OK() {
				im.Name = a.Text()
			} else {
				im.Name = packageName(p)
			}
			l.file.Imports = append(l.file.Imports, im)
		}
	}
}

// packageName guesses the name of an imported package from its path.
func packageName(p string) string {
	b := path.Base(p)
	if len(b) > 1 && b[0] == 'v' && b[1] >= '0' && b[1] <= '9' && strings.Contains(p, "/") {
		b = path.Base(path.Dir(p))
	}
	b, _, _ = strings.Cut(b, ".v")
	b = strings.TrimPrefix(b, "go-")
	b = strings.TrimSuffix(b, "-go")
	return strings.ReplaceAll(b, "-", "")
}

func (l *lowering) types(n parse.Node) {
	for spec := range n.Children() {
		if spec.Kind() != "type_spec" && spec.Kind() != "type_alias" {
			continue
		}
		t := l.typ(spec.Field("name").Text())
		t.Line, t.EndLine = spec.Line(), spec.EndLine()
		body := spec.Field("type")
		switch body.Kind() {
		case "struct_type":
			l.fields(t, body.First("field_declaration_list"))
		case "interface_type":
			t.Interface = true
			for c := range body.Children() {
				if c.Kind() == "method_elem" {
					fn := &review.Func{Name: c.Field("name").Text(), Owner: t, Abstract: true, Exported: true, Params: l.params(c.Field("parameters")), Result: result(c), Line: c.Line(), EndLine: c.EndLine()}
					t.Methods = append(t.Methods, fn)
				} else if c.Kind() == "type_elem" {
					t.Bases = append(t.Bases, c.Text())
				}
			}
		default:
			t.Bases = append(t.Bases, body.Text())
		}
	}
}

func (l *lowering) typ(name string) *review.Type {
	if t := l.typs[name]; t != nil {
		return t
	}
	t := &review.Type{Name: name}
	l.typs[name] = t
	l.file.Types = append(l.file.Types, t)
	return t
}

func (l *lowering) fields(t *review.Type, list parse.Node) {
	for f := range list.Children() {
		if f.Kind() != "field_declaration" {
			continue
		}
		typ := f.Field("type").Text()
		named := false
		for nm := range f.Fields("name") {
			named = true
			t.Fields = append(t.Fields, review.Field{Name: nm.Text(), Type: typ, Line: f.Line()})
		}
		if !named {
			base := strings.TrimLeft(typ, "*")
			t.Bases = append(t.Bases, base)
			t.Fields = append(t.Fields, review.Field{Name: base[strings.LastIndexByte(base, '.')+1:], Type: typ, Line: f.Line()})
		}
	}
}

func result(n parse.Node) string {
	r := n.Field("result")
	if r.Kind() == "parameter_list" {
		first := r.First("parameter_declaration")
		return first.Field("type").Text()
	}
	return r.Text()
}

func (l *lowering) function(n parse.Node) {
	fn := &review.Func{Name: n.Field("name").Text(), Params: l.params(n.Field("parameters")), Result: result(n), Line: n.Line(), EndLine: n.EndLine()}
	fn.Exported = fn.Name != "" && fn.Name[0] >= 'A' && fn.Name[0] <= 'Z'
	if r := n.Field("receiver"); r.OK() {
		for p := range r.Children() {
			typ := strings.Trim(p.Field("type").Text(), "* ")
			typ, _, _ = strings.Cut(typ, "[")
			fn.Owner, fn.Receiver = l.typ(typ), p.Field("name").Text()
			fn.Owner.Methods = append(fn.Owner.Methods, fn)
		}
		if fn.Receiver == "" {
			fn.Receiver = "_recv"
		}
	}
	l.file.Funcs = append(l.file.Funcs, fn)
	l.fn = fn
	fn.Body = l.block(n.Field("body"))
	l.fn = nil
}

func (l *lowering) params(n parse.Node) []review.Param {
	var out []review.Param
	for p := range n.Children() {
		if p.Kind() != "parameter_declaration" && p.Kind() != "variadic_parameter_declaration" {
			continue
		}
		typ := p.Field("type").Text()
		named := false
		for nm := range p.Fields("name") {
			named = true
			out = append(out, review.Param{Name: nm.Text(), Type: typ, Rest: p.Kind() == "variadic_parameter_declaration"})
		}
		if !named {
			out = append(out, review.Param{Name: "_", Type: typ})
		}
	}
	return out
}

func st(op review.StmtOp, n parse.Node) *review.Stmt {
	return &review.Stmt{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func (l *lowering) block(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for c := range n.Children() {
		out = append(out, l.stmt(c)...)
	}
	return out
}

func (l *lowering) stmt(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "":
		return nil
	case "comment":
		l.comment(n)
		return nil
	case "statement_list", "labeled_statement":
		return l.block(n)
	case "block":
		s := st(review.Block, n)
		s.Body = l.block(n)
		return []*review.Stmt{s}
	case "expression_statement":
		return l.do(n.First())
	case "short_var_declaration", "assignment_statement":
		return []*review.Stmt{l.assignment(n)}
	case "var_declaration", "const_declaration":
		return l.vars(n)
	case "inc_statement", "dec_statement":
		s := st(review.Let, n)
		s.Name = "+"
		if n.Kind() == "dec_statement" {
			s.Name = "-"
		}
		s.Targets = []*review.Expr{l.expr(n.First())}
		s.Value = &review.Expr{Op: review.OpNumber, Name: "1", Line: n.Line()}
		return []*review.Stmt{s}
	case "return_statement":
		return []*review.Stmt{l.ret(n)}
	case "if_statement":
		return l.ifs(n)
	case "for_statement":
		return l.loop(n)
	case "expression_switch_statement", "type_switch_statement", "select_statement":
		return l.cases(n)
	case "defer_statement", "go_statement":
		return l.do(n.First())
	case "break_statement", "continue_statement", "goto_statement", "fallthrough_statement":
		s := st(review.Jump, n)
		s.Name = strings.TrimSuffix(n.Kind(), "_statement")
		return []*review.Stmt{s}
	case "send_statement", "receive_statement":
		return l.do(n)
	case "type_declaration":
		l.types(n)
		return nil
	case "empty_statement":
		return nil
	}
	return l.do(n)
}

func (l *lowering) do(n parse.Node) []*review.Stmt {
	s := st(review.Do, n)
	s.Value = l.expr(n)
	if c := s.Value; c != nil && c.Op == review.OpCall && c.X != nil && c.X.Op == review.OpName {
		switch c.X.Name {
		case "delete":
			if len(c.Args) == 2 {
				s.Op = review.Delete
				s.Value = &review.Expr{Op: review.OpIndex, X: c.Args[0].Value, Y: c.Args[1].Value, Line: c.Line, EndLine: c.EndLine}
			}
		case "panic":
			s.Op = review.Throw
		}
	}
	return []*review.Stmt{s}
}

func (l *lowering) assignment(n parse.Node) *review.Stmt {
	s := st(review.Let, n)
	if n.Kind() == "short_var_declaration" {
		s.Type = "var"
	} else if op := n.Field("operator").Text(); op != "=" {
		s.Name = strings.TrimSuffix(op, "=")
	}
	for c := range n.Field("left").Children() {
		s.Targets = append(s.Targets, l.expr(c))
	}
	s.Value = l.exprs(n.Field("right"))
	return s
}

// exprs is one expression, or a list of them.
func (l *lowering) exprs(n parse.Node) *review.Expr {
	var all []*review.Expr
	for c := range n.Children() {
		if c.Kind() != "comment" {
			all = append(all, l.expr(c))
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	e := ex(review.OpList, n)
	for _, a := range all {
		e.Args = append(e.Args, review.Arg{Value: a})
	}
	return e
}

func (l *lowering) vars(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for spec := range n.Children() {
		if spec.Kind() == "var_spec_list" {
			out = append(out, l.vars(spec)...)
			continue
		}
		if spec.Kind() != "var_spec" && spec.Kind() != "const_spec" {
			continue
		}
		s := st(review.Let, spec)
		s.Type = "var"
		if t := spec.Field("type"); t.OK() {
			s.Type = t.Text()
		}
		for nm := range spec.Fields("name") {
			if nm.Named() {
				s.Targets = append(s.Targets, &review.Expr{Op: review.OpName, Name: nm.Text(), Line: nm.Line(), EndLine: nm.EndLine()})
			}
		}
		s.Value = l.exprs(spec.Field("value"))
		out = append(out, s)
	}
	return out
}

// ret is a return; one whose last value is a made error is how Go raises.
func (l *lowering) ret(n parse.Node) *review.Stmt {
	s := st(review.Return, n)
	list := n.First("expression_list")
	s.Value = l.exprs(list)
	last := s.Value
	if last != nil && last.Op == review.OpList && len(last.Args) > 0 {
		last = last.Args[len(last.Args)-1].Value
	}
	if last != nil && raisesError(last) && (last.Op != review.OpName || l.failing || !carries(s.Value)) {
		s.Op, s.Value = review.Throw, last
	}
	return s
}

// carries reports return values before the error that are more than zero
// values: "return order, err" outside of an error branch gives the order back.
func carries(e *review.Expr) bool {
	if e.Op != review.OpList {
		return false
	}
	for _, a := range e.Args[:len(e.Args)-1] {
		switch v := a.Value; v.Op {
		case review.OpNull, review.OpString, review.OpNumber, review.OpBool:
		case review.OpObject:
			if len(v.Args) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func raisesError(e *review.Expr) bool {
	switch e.Op {
	case review.OpName:
		return e.Name == "err"
	case review.OpCall:
		n := ""
		if e.X != nil {
			n = e.X.Name
		}
		return n == "Errorf" || (n == "New" && e.X.X != nil && e.X.X.Name == "errors") || strings.HasSuffix(n, "ApplicationError") || n == "Wrap" || n == "Wrapf"
	}
	return false
}

func (l *lowering) ifs(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	if i := n.Field("initializer"); i.OK() {
		out = append(out, l.stmt(i)...)
	}
	s := st(review.If, n)
	s.Value = l.expr(n.Field("condition"))
	was := l.failing
	l.failing = was || strings.Contains(n.Field("condition").Text(), "err != nil")
	s.Body = l.block(n.Field("consequence"))
	l.failing = was
	if a := n.Field("alternative"); a.Kind() == "if_statement" {
		s.Else = l.ifs(a)
	} else if a.OK() {
		s.Else = l.block(a)
	}
	return append(out, s)
}

func (l *lowering) loop(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	s := st(review.Loop, n)
	for c := range n.Children() {
		switch c.Kind() {
		case "range_clause":
			for t := range c.Field("left").Children() {
				s.Targets = append(s.Targets, l.expr(t))
			}
			if len(s.Targets) == 2 {
				s.Targets = s.Targets[1:]
			}
			s.Value = l.expr(c.Field("right"))
			s.Type = "var"
		case "for_clause":
			out = append(out, l.stmt(c.Field("initializer"))...)
			s.Value = l.expr(c.Field("condition"))
		case "block":
		default:
			s.Value = l.expr(c)
		}
	}
	s.Body = l.block(n.Field("body"))
	return append(out, s)
}

func (l *lowering) cases(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	if i := n.Field("initializer"); i.OK() {
		out = append(out, l.stmt(i)...)
	}
	s := st(review.Switch, n)
	s.Value = l.expr(n.Field("value"))
	if alias := n.Field("alias"); alias.OK() && s.Value != nil {
		a := st(review.Let, n)
		a.Type, a.Value = "var", s.Value
		for c := range alias.Children() {
			a.Targets = append(a.Targets, l.expr(c))
		}
		out = append(out, a)
	}
	for c := range n.Children() {
		switch c.Kind() {
		case "expression_case", "type_case", "default_case", "communication_case":
		default:
			continue
		}
		k := review.Catch{Line: c.Line()}
		for v := range c.Field("value").Children() {
			k.Values = append(k.Values, l.expr(v))
		}
		if t := c.Field("type"); t.OK() {
			k.Values = append(k.Values, &review.Expr{Op: review.OpType, Name: t.Text(), Line: t.Line()})
		}
		if m := c.Field("communication"); m.OK() {
			k.Body = append(k.Body, l.stmt(m)...)
			k.Values = append(k.Values, ex(review.OpNull, m))
		}
		for b := range c.Children() {
			if b.FieldName() == "" {
				k.Body = append(k.Body, l.stmt(b)...)
			}
		}
		s.Catches = append(s.Catches, k)
	}
	return append(out, s)
}
