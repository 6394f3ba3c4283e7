package catalyst

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// tool is one tool of the server, under our name for it.
type tool struct {
	name     string // ours: catalyst_get_workflow_run
	serverAs string // as the server names it, prefix included
	props    map[string]property
	required []string
	schema   string // as published, for errors
}

type property struct {
	Type json.RawMessage `json:"type"`
	Enum []any           `json:"enum"`
	Max  *float64        `json:"maximum"`
}

// takes reports whether the property's type list names t; a property without a
// type takes anything.
func (p property) takes(t string) bool {
	if len(p.Type) == 0 {
		return true
	}
	if s, ok := jsonString(p.Type); ok {
		return s == t
	}
	var ts []string
	return json.Unmarshal(p.Type, &ts) == nil && slices.Contains(ts, t)
}

// argument is a value we want to send and the names it may go by, normalised.
type argument struct {
	meaning  string // for errors: "the run's id"
	names    []string
	value    any
	optional bool // leave it out when the tool has no such property, or it does not take the value
}

// The names that a property may go by. Two properties of one tool that both
// match are ambiguous, and the call is not made.
var (
	projectNames  = []string{"projectid"}
	appNames      = []string{"appid", "appidentity", "appname", "appidentityname"}
	runNames      = []string{"runid", "instanceid", "workflowrunid", "workflowinstanceid"}
	workflowNames = []string{"workflowname", "workflow"}
	statusNames   = []string{"status", "statuses", "runtimestatus", "workflowstatus"}
	cursorNames   = []string{"cursor", "pagetoken", "nexttoken", "continuationtoken", "nextcursor", "pagecursor"}
	sizeNames     = []string{"pagesize", "limit", "maxresults", "perpage"}
	sinceNames    = []string{"startedafter", "createdafter", "startafter", "starttimeafter", "createdfrom", "startfrom", "starttimefrom", "startedfrom"}
	untilNames    = []string{"startedbefore", "createdbefore", "startbefore", "starttimebefore", "createdto", "startto", "starttimeto", "startedto"}
	dataNames     = []string{"includedata"}
)

// bind chooses the property of each argument from the tool's own schema.
func (t tool) bind(args ...argument) (map[string]any, error) {
	out := map[string]any{}
	for _, a := range args {
		name, err := t.property(a.meaning, a.names)
		if err != nil {
			return nil, err
		}
		if name == "" {
			if a.optional {
				continue
			}
			return nil, t.misfit(fmt.Sprintf("it has no property for %s (looked for %s)", a.meaning, strings.Join(a.names, ", ")))
		}
		v, err := t.coerce(name, a.value)
		switch {
		case err == nil:
			out[name] = v
		case !a.optional:
			return nil, err
		}
	}
	for _, r := range t.required {
		if _, ok := out[r]; !ok {
			return nil, t.misfit("it requires " + clean.Line(r, 60) + ", for which no value is known")
		}
	}
	return out, nil
}

// property returns the tool's own spelling of the one property that goes by
// names, "" when it has none, an error when it has several.
func (t tool) property(meaning string, names []string) (string, error) {
	var found []string
	for p := range t.props {
		if slices.Contains(names, normal(p)) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	slices.Sort(found)
	return "", t.misfit(fmt.Sprintf("several properties could be %s: %s", meaning, clean.Line(strings.Join(found, ", "), 200)))
}

func (t tool) accepts(names []string) bool {
	for p := range t.props {
		if slices.Contains(names, normal(p)) {
			return true
		}
	}
	return false
}

// coerce fits a value to the property's type: a list of one for an array, the
// enum's own spelling for an enum.
func (t tool) coerce(name string, v any) (any, error) {
	p := t.props[name]
	s, isString := v.(string)
	if isString && len(p.Enum) > 0 {
		i := slices.IndexFunc(p.Enum, func(e any) bool { es, ok := e.(string); return ok && strings.EqualFold(es, s) })
		if i < 0 {
			return nil, t.misfit(fmt.Sprintf("%s does not take %q", clean.Line(name, 60), clean.Line(s, 60)))
		}
		v = p.Enum[i]
	}
	switch {
	case isString && !p.takes("string") && p.takes("array"):
		return []any{v}, nil
	case isString && !p.takes("string") && (p.takes("integer") || p.takes("number")):
		if uid, ok := projectUID(s); ok {
			return json.Number(uid), nil
		}
		return nil, t.misfit(fmt.Sprintf("%s is a number and %q is not", clean.Line(name, 60), clean.Line(s, 60)))
	}
	if n, ok := v.(int); ok {
		if p.Max != nil && float64(n) > *p.Max {
			return int(*p.Max), nil
		}
		if !p.takes("integer") && !p.takes("number") && p.takes("string") {
			return fmt.Sprint(n), nil
		}
	}
	return v, nil
}

// misfit is the error of a tool whose schema does not tell how to call it.
func (t tool) misfit(why string) error {
	return &fault.Error{
		Kind:  fault.Unsupported,
		What:  "call " + t.name + ": " + why,
		Means: "the call was not made, since a guessed argument could read the wrong thing",
		Do:    "The schema the server publishes: " + clean.Line(t.schema, 1500),
	}
}

// requires reports whether the tool demands a property that goes by names.
func (t tool) requires(names []string) bool {
	return slices.ContainsFunc(t.required, func(r string) bool { return slices.Contains(names, normal(r)) })
}
