package review

import "strings"

// nested is the type declared inside a type that is named, not an object of it:
// Routes.Orders in a file of constants.
func (r *repo) nested(v *Value, name string) *Type {
	if v.Class == nil || v.Sym != v.Class.Name || v.Class.File == nil || name == "" || name[0] < 'A' || name[0] > 'Z' {
		return nil
	}
	for _, ty := range v.Class.File.Types {
		if ty.Name == name && ty != v.Class && ty.Line >= v.Class.Line && ty.EndLine <= v.Class.EndLine {
			return ty
		}
	}
	return nil
}

// constText is the text of an expression made of literals and of constants that
// types of the repository declare, "" where a part is anything else.
func constText(r *repo, f *File, e *Expr, depth int) string {
	if e == nil || depth == 0 {
		return ""
	}
	switch e.Op {
	case OpString:
		return e.Name
	case OpBinary:
		a, b := constText(r, f, e.X, depth-1), constText(r, f, e.Y, depth-1)
		if e.Name != "+" || a == "" || b == "" {
			return ""
		}
		return a + b
	case OpName, OpMember:
		return r.constNamed(f, e, depth)
	}
	return ""
}

// constNamed is a constant by its name: of the type that stands before it, else
// of the type of the file that it is written in.
func (r *repo) constNamed(f *File, e *Expr, depth int) string {
	var types []*Type
	if e.Op == OpName {
		for _, ty := range f.Types {
			if ty.Line <= e.Line && e.Line <= ty.EndLine {
				types = append([]*Type{ty}, types...) // the innermost first
			}
		}
	} else if path := strings.Split(text(e.X), "."); len(path) > 0 {
		if ty := r.typeNamed(f, path[len(path)-1]); ty != nil {
			types = []*Type{ty}
		}
	}
	for _, ty := range types {
		for i := range ty.Fields {
			if fd := &ty.Fields[i]; fd.Name == e.Name && fd.Value != nil {
				return constText(r, ty.File, fd.Value, depth-1)
			}
		}
	}
	return ""
}

// served is the path in a mapping: its first literal, else its first argument
// that is a constant.
func (r *repo) served(f *File, a *Expr) string {
	if p := firstLiteral(a); p != "" || a.Op != OpCall {
		return p
	}
	for _, arg := range a.Args {
		if arg.Name != "" && arg.Name != "path" && arg.Name != "value" {
			continue
		}
		if p := constText(r, f, arg.Value, 6); p != "" {
			return p
		}
	}
	return ""
}
