// Package links builds links into the Catalyst console, or says why there is
// none. It is pure: nothing is fetched, nothing is opened.
//
// A link that may open the wrong page is worse than none, so every doubt about
// an id ends in plain text. The one doubt that still gives a link is the
// project: a console that is given no project shows the one it has selected,
// and the note says so.
package links

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Project keeps the two ways a project is named apart. The console takes either
// as a parameter of its own and neither falls back to the other. The zero value
// names no project.
type Project struct {
	Name string
	UID  string // with or without "prj-"
}

// ParseProject sorts what a person typed into a name or a uid. What is surely
// neither (a UUID, text with spaces) gives the zero value, since the wrong
// parameter silently opens another project.
func ParseProject(s string) Project {
	if digits(uid(s)) {
		return Project{UID: uid(s)}
	}
	if !name(s) {
		return Project{}
	}
	return Project{Name: s}
}

// Console is a console's address. The zero value has none; Why then says why.
type Console struct {
	Base string // "https://catalyst.diagrid.io", without a trailing slash
	Why  string // how it is known, or why it is not
}

// exact and under map the host of a Catalyst MCP server to its console.
var (
	exact = map[string]string{
		"mcp.cloud.r1.diagrid.io":       "https://catalyst.diagrid.io",
		"mcp.cloud.staging.diagrid.dev": "https://catalyst.staging.diagrid.dev",
	}
	under = [...]struct{ suffix, console string }{
		{".stg.diagrid.io", "https://catalyst.stg.diagrid.io"},
		{".dev.diagrid.io", "https://catalyst.dev.diagrid.io"},
		{".local.diagrid.io", "https://catalyst.local.diagrid.io"},
		{".7f000001.nip.io", "https://catalyst.local.diagrid.io"},
	}
)

// FindConsole returns the console that belongs to the MCP server at mcpURL.
// configured, when set, wins; it must be an http or https address without
// credentials, path or query.
func FindConsole(mcpURL, configured string) Console {
	if configured != "" {
		if base, ok := base(configured); ok {
			return Console{Base: base, Why: "as configured"}
		}
		return Console{Why: "the configured console address is not a plain https address"}
	}
	if mcpURL == "" {
		return Console{Why: "no Catalyst server is configured, so there is no console to link to"}
	}
	u, err := url.Parse(mcpURL)
	if err != nil || u.Hostname() == "" {
		return Console{Why: "the Catalyst server's address cannot be read"}
	}
	host := strings.ToLower(u.Hostname())
	if c, ok := exact[host]; ok {
		return Console{Base: c, Why: "the console of " + host}
	}
	for _, m := range under {
		if strings.HasSuffix(host, m.suffix) && len(host) > len(m.suffix) {
			return Console{Base: m.console, Why: "the console of " + host}
		}
	}
	return Console{Why: "the console of this Catalyst server is not known; configure links.console"}
}

// Run returns the link of a run. An empty url means that no trustworthy link
// can be built and why says why; with a url, why is a caveat or empty.
func Run(c Console, p Project, app, instance string) (url, why string) {
	if app == "executions" {
		return "", `an app named "executions" cannot be linked: that route is the list page`
	}
	if why := segment("app id", app); why != "" {
		return "", why
	}
	if why := segment("run id", instance); why != "" {
		return "", why
	}
	if c.Base == "" {
		return "", c.Why
	}
	query, why := project(p)
	return c.Base + "/workflows/" + escape(app) + "/" + escape(instance) + query, why
}

// App returns the link of an app's page, by the same rules.
func App(c Console, p Project, app string) (url, why string) {
	if why := segment("app id", app); why != "" {
		return "", why
	}
	if c.Base == "" {
		return "", c.Why
	}
	query, why := project(p)
	return c.Base + "/apps/details/" + escape(app) + query, why
}

// project returns the query that selects p, or the caveat of a link without one.
func project(p Project) (query, why string) {
	switch {
	case digits(uid(p.UID)):
		return "?projectId=" + uid(p.UID), ""
	case p.UID != "":
		return "", "the project's uid is not a number, so the link opens in whichever project the console has selected"
	case p.Name == "":
		return "", "no project is known, so the link opens in whichever project the console has selected"
	case digits(uid(p.Name)) || !name(p.Name):
		return "", "it is not certain that the project was named by its name, so the link opens in whichever project the console has selected"
	}
	return "?project=" + escape(p.Name), ""
}

// segment says why s cannot stand in a path, or nothing.
func segment(what, s string) string {
	switch {
	case s == "":
		return "the " + what + " is not known"
	case s == "." || s == "..":
		return "the " + what + ` is "` + s + `", which a browser resolves away`
	case strings.ContainsAny(s, `/\`):
		return "the " + what + " holds a slash, which the console would read as another page"
	case !utf8.ValidString(s):
		return "the " + what + " is not valid UTF-8"
	case strings.ContainsFunc(s, clean.Hidden):
		return "the " + what + " holds a control or invisible character"
	}
	return ""
}

// escape percent-encodes everything outside the unreserved characters, so that
// no terminal, browser or Markdown renderer ends the link early.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; alnum(c) || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// base accepts a plain address; http only towards this machine.
func base(s string) (string, bool) {
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return "", false
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", false
	}
	for i := 0; i < len(u.Host); i++ {
		if c := u.Host[i]; !alnum(c) && strings.IndexByte("-_.:[]", c) < 0 {
			return "", false
		}
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), true
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func uid(s string) string { return strings.TrimPrefix(s, "prj-") }

func digits(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// name accepts what a project can surely be called: letters, digits, "-", "_"
// and ".", at most 63 characters, and not the form of a UUID.
func name(s string) bool {
	if s == "" || len(s) > 63 || !alnum(s[0]) || isUUID(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && strings.IndexByte("-_.", s[i]) < 0 {
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
