package catalyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Status is what the connection is, asked live.
type Status struct {
	Server       string
	SignIn       string // how this process is signed in, without any token
	Organization string // the server's words, cleaned; empty when not told
	User         string // the server's words, cleaned; empty when not told
	Project      history.Project
	Sharing      history.Sharing
	Quotas       []Quota
	QuotaProblem error
	RefusedTools []string // shown by the server, not called by us, and why
	FailedParts  []string // parts of the whoami answer that failed on the server
	Problem      error    // why the server cannot be asked; nil when it can
}

// Quota is one limit in one scope and region. Entries of different scopes or
// regions are never added up. Used and Limit are nil when the server does not
// state them; a limit of null or -1 is "not stated".
type Quota struct {
	Key, Scope, Region string
	Used, Limit        *int64
}

// kvStoreQuota is the quota that matters for dedupe and intent tables.
const kvStoreQuota = "number_of_kvstores_per_project"

// Status asks the server who we are and what it lets us see. What cannot be
// read stands in the result as a problem.
func (s *Source) Status(ctx context.Context) Status {
	out := Status{Server: s.config.Server, SignIn: s.auth.how()}
	a, err := s.session.call(ctx, "ask Catalyst who we are", toolWhoami)
	if err != nil && fault.KindOf(err) != fault.Unsupported {
		out.Problem = err
		out.Project, out.Sharing = s.knownProject(), s.level.general()
		return out
	}
	if err == nil {
		s.level.note(a.doc)
		out.Organization, out.User = whoami(a.doc)
		out.FailedParts = failedParts(a.doc)
	}
	s.learnProject(ctx)
	out.Sharing = s.learnLevel(ctx)
	out.Project = s.knownProject()
	out.Quotas, out.QuotaProblem = s.quotas(ctx)
	out.RefusedTools = s.session.refusedTools()
	return out
}

// learnLevel is the level apart from any one answer. Where no evidence is at
// hand the newest run is read for it, and what holds for its answer is told.
func (s *Source) learnLevel(ctx context.Context) history.Sharing {
	known := s.level.general()
	if known.How == howStated || known.How == howRestricted {
		return known
	}
	for h, err := range s.Runs(ctx, history.Filter{}) {
		if err != nil {
			break
		}
		run, err := s.Run(ctx, h.Ref)
		if err != nil {
			break
		}
		if run.Sharing.Level == history.LevelFull {
			return history.Sharing{Level: history.LevelFull, How: "the newest run's answer: " + run.Sharing.How}
		}
		break
	}
	return s.level.general()
}

// whoami reads the organization's and the user's name from a composed answer.
func whoami(doc json.RawMessage) (org, user string) {
	top, ok := asObject(doc)
	if !ok {
		return "", ""
	}
	for _, k := range slices.Sorted(maps.Keys(top)) {
		part, ok := asObject(top[k])
		if !ok {
			continue
		}
		for _, inner := range []string{"data", "attributes"} {
			if in, ok := asObject(part[inner]); ok {
				part = in
			}
		}
		switch {
		case strings.Contains(k, "org"):
			org = cmp.Or(org, part.str("displayname", "name"))
		case strings.Contains(k, "user") || strings.Contains(k, "account"):
			user = cmp.Or(user, part.str("email", "displayname", "name"))
		}
	}
	org = cmp.Or(org, top.str("organizationname", "orgname", "organization", "org"))
	user = cmp.Or(user, top.str("email", "username", "user"))
	return clean.Line(org, 120), clean.Line(user, 120)
}

// quotas reads the KV-store quota live. The usage tool may want the project or
// nothing at all.
func (s *Source) quotas(ctx context.Context) ([]Quota, error) {
	a, err := s.session.call(ctx, "read the usage", toolUsage,
		argument{meaning: "the project", names: projectNames, value: s.projectArgument(), optional: true})
	if err != nil {
		return nil, err
	}
	found := findQuotas(a.doc, Quota{}, 0)
	if len(found) == 0 {
		return nil, notRecognised("read the usage", "it holds no "+kvStoreQuota)
	}
	return found, nil
}

// findQuotas walks a usage answer: the quota stands either under its key or
// beside it, and its scope and region in the objects around it.
func findQuotas(raw json.RawMessage, around Quota, depth int) []Quota {
	if depth > 8 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var out []Quota
		for _, it := range list {
			out = append(out, findQuotas(it, around, depth+1)...)
		}
		return out
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	o, _ := asObject(raw)
	around.Scope = clean.Line(cmp.Or(o.str("scope", "scopename"), around.Scope), 80)
	around.Region = clean.Line(cmp.Or(o.str("region", "regionname", "regionid"), around.Region), 80)
	if slices.Contains([]string{o.str("key"), o.str("name"), o.str("id"), o.str("quota"), o.str("metric")}, kvStoreQuota) && o.has("used", "limit") {
		return []Quota{quotaOf(o, around)}
	}
	var out []Quota
	for _, k := range sortedKeys(m) {
		if k == kvStoreQuota {
			if q, ok := asObject(m[k]); ok {
				in := around
				in.Scope = clean.Line(cmp.Or(q.str("scope"), in.Scope), 80)
				in.Region = clean.Line(cmp.Or(q.str("region"), in.Region), 80)
				out = append(out, quotaOf(q, in))
				continue
			}
		}
		in := around
		if strings.HasPrefix(k, "catalyst.") {
			in.Scope = clean.Line(k, 80)
		}
		out = append(out, findQuotas(m[k], in, depth+1)...)
	}
	return out
}

func quotaOf(o object, around Quota) Quota {
	around.Key = kvStoreQuota
	around.Used, around.Limit = number(o["used"]), number(o["limit"])
	if around.Limit != nil && *around.Limit < 0 {
		around.Limit = nil
	}
	return around
}

func number(raw json.RawMessage) *int64 {
	s := strings.Trim(string(raw), `"`)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// String is the quota in words.
func (q Quota) String() string {
	where := strings.TrimSpace(q.Scope + " " + q.Region)
	if where == "" {
		where = "scope not stated"
	}
	return fmt.Sprintf("%s used, limit %s (%s)", stated(q.Used), stated(q.Limit), where)
}

func stated(n *int64) string {
	if n == nil {
		return "not stated"
	}
	return strconv.FormatInt(*n, 10)
}

// Describe is Status in the form that every source has.
func (s *Source) Describe(ctx context.Context) history.Description {
	st := s.Status(ctx)
	d := history.Description{
		Name:    "catalyst",
		Where:   st.Server,
		Account: cmp.Or(st.User, st.Organization),
		Project: st.Project,
		Sharing: st.Sharing,
		Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true},
		NotVisible: []string{
			"runs that were purged, and earlier lives and generations of a run",
			"how often a body ran: only what the engine recorded",
			"values of keys such as token, apiKey or clientSecret, which Catalyst removes at every data-sharing level",
		},
		Problem: st.Problem,
	}
	if st.Sharing.Level != history.LevelFull {
		d.NotVisible = append(d.NotVisible, "inputs, outputs and custom statuses: "+st.Sharing.String())
	}
	add := func(name, value string) {
		if value != "" {
			d.Details = append(d.Details, history.Detail{Name: name, Value: value})
		}
	}
	add("sign-in", st.SignIn)
	add("organization", cmp.Or(st.Organization, "not told by the server"))
	add("project name", cmp.Or(clean.Line(st.Project.Name, 128), "not known"))
	add("project uid", cmp.Or(st.Project.UID, "not known"))
	for _, q := range st.Quotas {
		add("KV stores per project", q.String())
	}
	if st.QuotaProblem != nil && st.Problem == nil {
		add("KV stores per project", "not read: "+oneLine(st.QuotaProblem))
	}
	for _, t := range st.RefusedTools {
		add("tool not called", t)
	}
	for _, p := range st.FailedParts {
		add("part not answered", clean.Line(p, 80))
	}
	return d
}

func oneLine(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.What
	}
	return clean.Line(err.Error(), 200)
}
