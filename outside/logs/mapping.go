package logs

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/times"
)

// Mapping says how an application's own lines are read. Empty fields are found
// from content and from usual names. Field names of nested JSON are joined by
// dots.
type Mapping struct {
	Time, Instance, Execution, Activity, Event, Body, Key, Task, Host string
	// Pattern reads lines of plain text. Its named groups are time, instance,
	// execution_id, activity, event, body, key, task_id and host.
	Pattern *regexp.Regexp
	// Start, Effect and End are words that say what a line is of. They are looked
	// up before the usual ones.
	Start, Effect, End []string
}

// role is what a field means.
type role uint8

const (
	noRole role = iota
	timeRole
	instanceRole
	executionRole
	activityRole
	eventRole
	bodyRole
	keyRole
	taskRole
	hostRole
	outcomeRole
	messageRole
	numRoles
)

var roleNames = [numRoles]string{"", "time", "instance", "execution_id", "activity", "event", "body", "key", "task_id", "host", "outcome", "message"}

// Groups are the named groups that a pattern may have.
func Groups() []string {
	return []string{"time", "instance", "execution_id", "activity", "event", "body", "key", "task_id", "host"}
}

// usual names, in normal form: lower case without separators. The last part of a
// nested name counts.
var usual = map[string]role{
	"time": timeRole, "ts": timeRole, "timestamp": timeRole, "t": timeRole, "datetime": timeRole, "date": timeRole, "eventtime": timeRole, "asctime": timeRole,
	"instance": instanceRole, "instanceid": instanceRole, "workflowid": instanceRole, "workflowinstanceid": instanceRole, "workflowinstance": instanceRole, "orchestrationid": instanceRole, "runid": instanceRole,
	"taskexecutionid": executionRole, "taskexecutionkey": executionRole, "executionid": executionRole, "execid": executionRole,
	"activity": activityRole, "activityname": activityRole, "activitytype": activityRole, "taskname": activityRole,
	"event": eventRole, "ev": eventRole, "phase": eventRole, "stage": eventRole, "step": eventRole, "action": eventRole,
	"body": bodyRole, "bodyid": bodyRole, "invocationid": bodyRole,
	"taskid": taskRole, "taskscheduledid": taskRole, "scheduledid": taskRole, "workflowactivityid": taskRole,
	"host": hostRole, "hostname": hostRole, "pod": hostRole, "podname": hostRole, "containerid": hostRole,
	"outcome": outcomeRole, "status": outcomeRole, "result": outcomeRole, "success": outcomeRole,
	"message": messageRole, "msg": messageRole, "log": messageRole, "line": messageRole,
}

// words that tell what a line is of.
var usualWords = map[string]outside.Class{
	"start": outside.Start, "started": outside.Start, "starting": outside.Start, "begin": outside.Start, "began": outside.Start, "beginning": outside.Start, "enter": outside.Start, "entered": outside.Start, "entering": outside.Start,
	"effect": outside.Effect, "applied": outside.Effect, "committed": outside.Effect,
	"end": outside.End, "ended": outside.End, "finish": outside.End, "finished": outside.End, "done": outside.End, "complete": outside.End, "completed": outside.End, "exit": outside.End, "exited": outside.End,
	"returned": outside.End, "succeeded": outside.End, "failed": outside.End, "leave": outside.End, "left": outside.End,
}

var failures = map[string]bool{"error": true, "failed": true, "failure": true, "fail": true, "false": true, "exception": true}
var successes = map[string]bool{"ok": true, "success": true, "succeeded": true, "completed": true, "true": true, "done": true}

// mapper turns records into sightings.
type mapper struct {
	m          Mapping
	x          *outside.Index
	configured map[string]role
	words      map[string]outside.Class
	learned    map[string]role // paths that held ids, by content
	used       [numRoles]map[string]int
}

func newMapper(m Mapping, x *outside.Index) *mapper {
	p := &mapper{m: m, x: x, configured: map[string]role{}, words: map[string]outside.Class{}, learned: map[string]role{}}
	for r, name := range map[role]string{timeRole: m.Time, instanceRole: m.Instance, executionRole: m.Execution, activityRole: m.Activity, eventRole: m.Event, bodyRole: m.Body, keyRole: m.Key, taskRole: m.Task, hostRole: m.Host} {
		if name != "" {
			p.configured[name] = r
		}
	}
	for w, c := range usualWords {
		p.words[w] = c
	}
	for c, list := range map[outside.Class][]string{outside.Start: m.Start, outside.Effect: m.Effect, outside.End: m.End} {
		for _, w := range list {
			p.words[strings.ToLower(w)] = c
		}
	}
	for i := range p.used {
		p.used[i] = map[string]int{}
	}
	return p
}

// roleOf is what a field means by its name.
func (p *mapper) roleOf(path string) role {
	if r, ok := p.configured[path]; ok {
		return r
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	r := usual[normal(name)]
	if r == executionRole && strings.Contains(strings.ToLower(path), "workflow") {
		return noRole // the run's own execution id
	}
	return r
}

func normal(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '@' || r == ' ' {
			return -1
		}
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// learn notes which fields hold ids of indexed runs, so that the same fields are
// believed where they hold other ids.
func (p *mapper) learn(r *record) {
	for _, f := range r.fields {
		if p.roleOf(f.path) != noRole {
			continue
		}
		switch {
		case p.x.KnowsExecution(f.value):
			p.learned[f.path] = executionRole
		case p.x.KnowsInstance(f.value) && !relative(f.path):
			if _, ok := p.learned[f.path]; !ok {
				p.learned[f.path] = instanceRole
			}
		}
	}
}

// relative reports a field that names another run than the line's own.
func relative(path string) bool {
	l := strings.ToLower(path)
	for _, w := range [...]string{"parent", "source", "root", "child", "of_", "target"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// sighting reads a record.
func (p *mapper) sighting(r *record) outside.Sighting {
	s := outside.Sighting{Task: history.NoID, At: r.at}
	var values [numRoles]string
	if r.idem != nil {
		p.idem(r.idem, &s)
	}
	for i := range r.fields {
		f := &r.fields[i]
		ro := p.roleOf(f.path)
		if l, ok := p.learned[f.path]; ok && ro == noRole {
			ro = l
		}
		if ro == noRole || !p.better(ro, f, values[ro]) {
			continue
		}
		values[ro] = f.value
		p.used[ro][f.path]++
	}
	if p.m.Pattern != nil && r.text != "" {
		p.pattern(r.text, &values)
	}
	p.fill(&s, &values, r)
	return s
}

// better decides between two fields of one role: a configured one, else the
// first, unless only the later one holds what is looked for.
func (p *mapper) better(ro role, f *field, have string) bool {
	if have == "" || p.configured[f.path] == ro {
		return true
	}
	switch ro {
	case instanceRole:
		return !p.x.KnowsInstance(have) && p.x.KnowsInstance(f.value)
	case executionRole:
		return !p.x.KnowsExecution(have) && p.x.KnowsExecution(f.value)
	case timeRole:
		_, was := times.Parse(have)
		return !was
	case eventRole:
		_, was := p.words[strings.ToLower(have)]
		return !was
	}
	return false
}

// pattern reads a line of plain text by the operator's expression.
func (p *mapper) pattern(text string, values *[numRoles]string) {
	groups := p.m.Pattern.FindStringSubmatch(text)
	if groups == nil {
		return
	}
	for i, name := range p.m.Pattern.SubexpNames() {
		for ro, n := range roleNames {
			if n != "" && n == name && groups[i] != "" {
				values[ro] = groups[i]
				p.used[ro]["pattern"]++
			}
		}
	}
}

// idem reads the words of an idem line, which needs no mapping.
func (p *mapper) idem(words []field, s *outside.Sighting) {
	for _, w := range words {
		switch w.path {
		case "event":
			s.Class = map[string]outside.Class{"start": outside.Start, "effect": outside.Effect, "end": outside.End}[w.value]
		case "activity":
			s.Activity = w.value
		case "body":
			s.Body = w.value
		case "instance":
			s.Instance = w.value
		case "execution_id":
			s.Execution = w.value
		case "key":
			s.Key = w.value
		case "task_id":
			s.Task = taskID(w.value)
		case "time":
			if t, ok := times.Parse(w.value); ok {
				s.At = t
			}
		case "outcome":
			s.Failed, s.Succeeded = w.value == "error", w.value == "ok"
		}
	}
}

// fill puts what was found into the sighting; an idem line has the last word.
func (p *mapper) fill(s *outside.Sighting, v *[numRoles]string, r *record) {
	set := func(to *string, value string) {
		if *to == "" {
			*to = value
		}
	}
	if r.idem == nil || s.At.IsZero() || s.At.Equal(r.at) {
		if t, ok := times.Parse(v[timeRole]); ok {
			s.At = t
		} else if t, ok := times.Leading(r.text); ok && s.At.IsZero() {
			s.At = t
		}
	}
	set(&s.Host, v[hostRole])
	if r.idem != nil {
		return
	}
	s.Instance, s.Execution, s.Body, s.Key = v[instanceRole], v[executionRole], v[bodyRole], v[keyRole]
	s.Task = taskID(v[taskRole])
	if s.Activity = v[activityRole]; s.Activity == "" {
		s.Activity = p.activityIn(r)
	}
	if s.Instance == "" && s.Execution == "" {
		p.idsIn(r.text, s)
	}
	s.Class = p.class(v, r)
	if s.Class == outside.End {
		o := strings.ToLower(v[outcomeRole])
		s.Failed, s.Succeeded = failures[o], successes[o]
	}
}

// activityIn looks for the name of a known activity among the values, then among
// the words of the text.
func (p *mapper) activityIn(r *record) string {
	for _, f := range r.fields {
		if a, ok := p.x.Activity(f.value); ok {
			return a
		}
	}
	for w := range words(r.text) {
		if a, ok := p.x.Activity(w); ok && a == w {
			return a
		}
	}
	return ""
}

// idsIn looks for ids among the words of a text line.
func (p *mapper) idsIn(text string, s *outside.Sighting) {
	for w := range tokens(text) {
		if s.Execution == "" && p.x.KnowsExecution(w) {
			s.Execution = w
		}
		if s.Instance == "" && p.x.KnowsInstance(w) {
			s.Instance = w
		}
		if s.Key == "" && p.x.KnowsKey(w) {
			s.Key = w
		}
	}
}

// class tells what a line is of: the event field if its value is a known word,
// else the words of the message, if they agree. Anything else is a mention.
func (p *mapper) class(v *[numRoles]string, r *record) outside.Class {
	if c, ok := p.words[strings.ToLower(v[eventRole])]; ok {
		return c
	}
	if p.m.Event != "" {
		return outside.Mention // the operator named the field, and it says nothing known
	}
	text := v[messageRole]
	if text == "" {
		text = r.text
	}
	found := outside.Mention
	for w := range words(text) {
		c, ok := p.words[strings.ToLower(w)]
		switch {
		case !ok || c == found:
		case found != outside.Mention:
			return outside.Mention // "failed, will start again"
		default:
			found = c
		}
	}
	return found
}

func taskID(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 || s == "" {
		return history.NoID
	}
	return int32(n)
}

// words yields runs of letters, digits and underscores.
func words(s string) func(func(string) bool) {
	return split(s, func(c byte) bool { return wordByte(c) || c >= 0x80 })
}

// tokens yields what can be an id in text: without the marks around it.
func tokens(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for w := range split(s, func(c byte) bool { return c > ' ' && !strings.ContainsRune("\"'=,;()[]{}<>", rune(c)) }) {
			if !yield(w) {
				return
			}
			if t := strings.TrimRight(w, ".:!?"); t != w && !yield(t) {
				return
			}
			if _, after, ok := strings.Cut(w, ":"); ok && after != "" && !yield(strings.TrimRight(after, ".:!?")) {
				return
			}
		}
	}
}

func split(s string, in func(byte) bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(s); {
			if !in(s[i]) {
				i++
				continue
			}
			start := i
			for i < len(s) && in(s[i]) {
				i++
			}
			if !yield(s[start:i]) {
				return
			}
		}
	}
}
