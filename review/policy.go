package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Policy is the retry policy at a call site.
type Policy struct {
	Text    string // as written, "" if there is none
	ID      string // tells whether two call sites use one object, "" if it is made in place
	Names   []string
	Horizon time.Duration // from the first attempt to the last, 0 if not known
}

// RetryPolicy is the retry policy at the call site.
func (c *CallSite) RetryPolicy() *Policy {
	if c.policy == nil {
		return &Policy{}
	}
	return c.policy
}

// PassesInstanceID reports whether the field of the activity's input ("" for
// the whole input) is the instance id of the workflow that schedules it.
func (c *CallSite) PassesInstanceID(field string) bool { return c.inputs[field] || c.inputs[""] }

// policy finds the retry policy at a call site.
func (ro *roster) policy(f *File, e *Expr, in *Func, reg knowledge.Register) *Policy {
	for one := range strings.SplitSeq(reg.Policy, ",") {
		for _, v := range argsAt(e, knowledge.Norm(one)) {
			s := text(v)
			def := v
			if d := ro.definition(f, v, in); d != nil {
				def = d
			}
			if strings.Contains(strings.ToLower(s+" "+text(def)), "retry") && v.Op != OpString {
				return ro.readPolicy(f, v, in)
			}
		}
	}
	for _, a := range e.Args {
		if s := text(a.Value); strings.Contains(strings.ToLower(s), "retry") && a.Value.Op != OpString {
			return ro.readPolicy(f, a.Value, in)
		}
	}
	return &Policy{}
}

func (ro *roster) readPolicy(f *File, e *Expr, in *Func) *Policy {
	p := &Policy{Text: clip(text(e), 200)}
	root := e
	for root != nil {
		if root.Op == OpUnary || root.Op == OpAwait || root.Op == OpCast {
			root = root.X
			continue
		}
		// WithActivityRetryPolicy(p), new WorkflowTaskOptions(p)
		if root.Op == OpCall && len(root.Args) == 1 && root.Args[0].Value != nil && (root.Args[0].Name == "" || strings.Contains(strings.ToLower(root.Args[0].Name), "retry")) {
			if a := root.Args[0].Value; a.Op == OpName || a.Op == OpMember || a.Op == OpUnary {
				root = a
				continue
			}
		}
		break
	}
	if root != nil && (root.Op == OpName || root.Op == OpMember) {
		p.ID = f.Path + ":" + text(root)
	}
	fields := map[string]*Expr{}
	ro.policyFields(f, e, in, fields, 0)
	for n := range fields {
		p.Names = append(p.Names, n)
	}
	slices.Sort(p.Names)
	p.Horizon = horizon(fields)
	return p
}

// policyFields collects what a policy is made of: named arguments, fields and
// setters, through variables and factories.
func (ro *roster) policyFields(f *File, e *Expr, in *Func, out map[string]*Expr, depth int) {
	if e == nil || depth > 6 {
		return
	}
	put := func(name string, v *Expr) {
		n := strings.TrimPrefix(strings.TrimPrefix(knowledge.Norm(name), "set"), "with")
		if n != "" && v != nil && out[n] == nil {
			out[n] = v
		}
	}
	if (e.Op == OpName || e.Op == OpMember) && depth < 6 {
		if def := ro.definition(f, e, in); def != nil && def != e {
			ro.policyFields(f, def, in, out, depth+1)
		}
		return
	}
	if e.Op == OpCall {
		if n := calleeName(e.X); len(e.Args) == 1 && e.Args[0].Name == "" {
			put(n, e.Args[0].Value)
		}
		if fn := ro.function(f, e.X, in); fn != nil {
			for _, st := range fn.Body {
				if st.Op == Return {
					ro.policyFields(fn.File, st.Value, fn, out, depth+1)
				}
			}
		}
	}
	for _, a := range e.Args {
		put(a.Name, a.Value)
		ro.policyFields(f, a.Value, in, out, depth+1)
	}
	ro.policyFields(f, e.X, in, out, depth+1)
}

// horizon is how long the attempts of a policy go on.
func horizon(fields map[string]*Expr) time.Duration {
	get := func(names ...string) *Expr {
		for _, n := range names {
			if e := fields[n]; e != nil {
				return e
			}
		}
		return nil
	}
	limit := duration(get("retrytimeout", "schedulestoclosetimeout", "scheduletoclosetimeout"))
	n := int(number(get("maxattempts", "maxnumberofattempts", "maximumattempts")))
	first := duration(get("firstretryinterval", "initialretryinterval", "initialinterval"))
	if n < 2 || first <= 0 {
		return limit
	}
	c := number(get("backoffcoefficient"))
	if c < 1 {
		c = 1
	}
	top := duration(get("maxretryinterval", "maximuminterval"))
	var sum time.Duration
	step := first
	for range min(n-1, 1000) {
		sum += step
		step = time.Duration(float64(step) * c)
		if top > 0 && step > top {
			step = top
		}
		if sum > 365*24*time.Hour {
			break
		}
	}
	if limit > 0 {
		return min(limit, sum) // whichever ends the attempts first
	}
	return sum
}

func number(e *Expr) float64 {
	if e == nil {
		return 0
	}
	if e.Op != OpNumber {
		return 0
	}
	f, _ := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(e.Name, "_", ""), "dDfFmMlLuU"), 64)
	return f
}

var units = map[string]time.Duration{
	"milliseconds": time.Millisecond, "millis": time.Millisecond, "millisecond": time.Millisecond, "ms": time.Millisecond,
	"seconds": time.Second, "second": time.Second, "s": time.Second, "minutes": time.Minute, "minute": time.Minute, "m": time.Minute,
	"hours": time.Hour, "hour": time.Hour, "h": time.Hour, "days": 24 * time.Hour, "day": 24 * time.Hour, "d": 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// duration reads timedelta(minutes=5), 5 * time.Minute, TimeSpan.FromMinutes(5),
// Duration.ofMinutes(5), "5 minutes".
func duration(e *Expr) time.Duration {
	if e == nil {
		return 0
	}
	switch e.Op {
	case OpCall:
		unit := strings.TrimPrefix(strings.TrimPrefix(knowledge.Norm(calleeName(e.X)), "from"), "of")
		var sum time.Duration
		for i, a := range e.Args {
			u := units[either(knowledge.Norm(a.Name), unit)]
			if a.Name == "" && i == 0 && unit == "timedelta" {
				u = units["days"]
			}
			sum += time.Duration(number(a.Value) * float64(u))
		}
		return sum
	case OpBinary:
		if e.Name == "*" {
			if d := duration(e.X); d > 0 && e.Y != nil && e.Y.Op == OpNumber {
				return time.Duration(float64(d) * number(e.Y))
			}
			return time.Duration(number(e.X) * float64(duration(e.Y)))
		}
	case OpMember:
		return units[knowledge.Norm(e.Name)]
	case OpString:
		n, unit, _ := strings.Cut(e.Name, " ")
		if unit == "" {
			i := strings.IndexFunc(n, func(r rune) bool { return r < '0' || r > '9' })
			if i > 0 {
				n, unit = n[:i], n[i:]
			}
		}
		f, _ := strconv.ParseFloat(n, 64)
		return time.Duration(f * float64(units[strings.ToLower(unit)]))
	}
	return 0
}

// scheduledInput finds which parts of an activity's input are the instance id
// of the workflow that schedules it.
func (ro *roster) scheduledInput(f *File, e *Expr, in *Func) map[string]bool {
	var out map[string]bool
	mark := func(field string, v *Expr) {
		if instanceID(v) {
			if out == nil {
				out = map[string]bool{}
			}
			out[field] = true
		}
	}
	for i, a := range e.Args {
		v := a.Value
		if v == nil || i == 0 && a.Name == "" {
			continue
		}
		if v.Op == OpCall && len(v.Args) == 1 && strings.Contains(strings.ToLower(calleeName(v.X)), "input") {
			v = v.Args[0].Value
		}
		if d := ro.definition(f, v, in); d != nil {
			v = d
		}
		mark("", v)
		for _, p := range v.Args {
			if v.Op == OpObject && p.Name != "" {
				mark(p.Name, p.Value)
			}
		}
	}
	return out
}

// instanceID reports an expression that is the workflow context's own id.
func instanceID(e *Expr) bool {
	if e == nil {
		return false
	}
	if e.Op == OpCall && len(e.Args) == 0 {
		e = e.X
	}
	if e == nil || e.Op != OpMember || e.X == nil || e.X.Op != OpName || !isCtxName(e.X.Name) {
		return false
	}
	switch knowledge.Norm(e.Name) {
	case "id", "instanceid", "getinstanceid", "getworkflowinstanceid", "workflowid":
		return true
	}
	return false
}
