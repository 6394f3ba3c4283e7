package review

import "strings"

// text spells an expression the way the source does, shortened: for messages
// and for recognising words.
func text(e *Expr) string {
	var b strings.Builder
	spell(&b, e, 0)
	return b.String()
}

func spell(b *strings.Builder, e *Expr, depth int) {
	if e == nil || depth > 12 || b.Len() > 400 {
		return
	}
	switch e.Op {
	case OpName, OpNumber, OpBool, OpType:
		b.WriteString(e.Name)
	case OpString:
		b.WriteString("'" + e.Name + "'")
	case OpNull:
		b.WriteString("null")
	case OpMember:
		spell(b, e.X, depth+1)
		b.WriteString("." + e.Name)
	case OpIndex:
		spell(b, e.X, depth+1)
		b.WriteString("[")
		spell(b, e.Y, depth+1)
		b.WriteString("]")
	case OpCall:
		spell(b, e.X, depth+1)
		b.WriteString("(")
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			spell(b, a.Value, depth+2)
		}
		b.WriteString(")")
	case OpBinary, OpAssign:
		spell(b, e.X, depth+1)
		b.WriteString(" " + either(e.Name, "=") + " ")
		spell(b, e.Y, depth+1)
	case OpUnary:
		b.WriteString(e.Name)
		spell(b, e.X, depth+1)
	case OpCast, OpAwait:
		spell(b, e.X, depth+1)
	case OpCond:
		spell(b, e.Z, depth+1)
	default:
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(" ")
			}
			if a.Name != "" {
				b.WriteString(a.Name + " ")
			}
			spell(b, a.Value, depth+1)
		}
	}
}
