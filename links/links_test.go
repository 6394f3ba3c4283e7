package links_test

import (
	"net/url"
	"strings"
	"testing"
	"testing/quick"

	"github.com/idem-mcp/idem-mcp/links"
)

var cloud = links.Console{Base: "https://catalyst.diagrid.io"}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name          string
		project       links.Project
		app, instance string
		url, why      string // why: a part of it
	}{
		{"by name", links.Project{Name: "default"}, "orders", "order-42", "https://catalyst.diagrid.io/workflows/orders/order-42?project=default", ""},
		{"by uid", links.Project{UID: "165"}, "orders", "order-42", "https://catalyst.diagrid.io/workflows/orders/order-42?projectId=165", ""},
		{"by uid with its prefix", links.Project{UID: "prj-165"}, "orders", "o", "https://catalyst.diagrid.io/workflows/orders/o?projectId=165", ""},
		{"the uid wins", links.Project{Name: "default", UID: "165"}, "orders", "o", "https://catalyst.diagrid.io/workflows/orders/o?projectId=165", ""},
		{"a uid in the name's place", links.Project{Name: "prj-165"}, "orders", "o", "https://catalyst.diagrid.io/workflows/orders/o", "not certain"},
		{"a uid that is no number", links.Project{UID: "4f0c"}, "orders", "o", "https://catalyst.diagrid.io/workflows/orders/o", "not a number"},
		{"no project", links.Project{}, "orders", "o", "https://catalyst.diagrid.io/workflows/orders/o", "no project is known"},
		{"a child run", links.Project{Name: "p"}, "orders", "order-42:0000", "https://catalyst.diagrid.io/workflows/orders/order-42%3A0000?project=p", ""},
		{"query characters", links.Project{Name: "p"}, "a&b=c", "x?y#z%20 é", "https://catalyst.diagrid.io/workflows/a%26b%3Dc/x%3Fy%23z%2520%20%C3%A9?project=p", ""},
		{"a slash", links.Project{Name: "p"}, "orders", "a/b", "", "slash"},
		{"a backslash", links.Project{Name: "p"}, "orders", `a\b`, "", "slash"},
		{"dots", links.Project{Name: "p"}, "orders", "..", "", "resolves away"},
		{"a dot", links.Project{Name: "p"}, ".", "x", "", "resolves away"},
		{"control", links.Project{Name: "p"}, "orders", "a\nb", "", "control"},
		{"bidi", links.Project{Name: "p"}, "orders", "a\u202eb", "", "invisible"},
		{"bad UTF-8", links.Project{Name: "p"}, "orders", "a\xffb", "", "UTF-8"},
		{"the list page", links.Project{Name: "p"}, "executions", "x", "", "list page"},
		{"no run id", links.Project{Name: "p"}, "orders", "", "", "run id is not known"},
		{"no app id", links.Project{Name: "p"}, "", "x", "", "app id is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := links.Run(cloud, c.project, c.app, c.instance)
			if got != c.url {
				t.Errorf("url = %q, want %q", got, c.url)
			}
			if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("why = %q, want it to hold %q", why, c.why)
			}
		})
	}
	if u, why := links.Run(links.Console{Why: "not known"}, links.Project{}, "a", "b"); u != "" || why != "not known" {
		t.Errorf("without a console: %q, %q", u, why)
	}
	if u, _ := links.App(cloud, links.Project{Name: "p"}, "my app"); u != "https://catalyst.diagrid.io/apps/details/my%20app?project=p" {
		t.Errorf("App = %q", u)
	}
}

func TestFindConsole(t *testing.T) {
	for _, c := range []struct{ mcp, configured, base string }{
		{"https://mcp.cloud.r1.diagrid.io/mcp", "", "https://catalyst.diagrid.io"},
		{"https://MCP.cloud.r1.diagrid.io:443/mcp", "", "https://catalyst.diagrid.io"},
		{"https://mcp.cloud.staging.diagrid.dev/mcp", "", "https://catalyst.staging.diagrid.dev"},
		{"https://mcp.x.stg.diagrid.io/mcp", "", "https://catalyst.stg.diagrid.io"},
		{"https://mcp.dev.diagrid.io/mcp", "", "https://catalyst.dev.diagrid.io"},
		{"https://mcp.local.diagrid.io/mcp", "", "https://catalyst.local.diagrid.io"},
		{"https://mcp.7f000001.nip.io:9443/mcp", "", "https://catalyst.local.diagrid.io"},
		{"https://mcp.cloud.r1.diagrid.io@evil.example/mcp", "", ""},
		{"https://evilstg.diagrid.io/mcp", "", ""},
		{"https://mcp.cloud.r1.diagrid.io.evil.example/", "", ""},
		{"https://catalyst.example.com/mcp", "", ""},
		{"", "", ""},
		{"::", "", ""},
		{"https://mcp.cloud.r1.diagrid.io/mcp", "https://console.example.com/", "https://console.example.com"},
		{"", "console.example.com", "https://console.example.com"},
		{"", "http://localhost:3000", "http://localhost:3000"},
		{"", "http://console.example.com", ""},
		{"", "javascript://x", ""},
		{"", "https://user:pw@console.example.com", ""},
		{"", "https://console.example.com/path", ""},
		{"", "https://console.example.com/?q", ""},
	} {
		got := links.FindConsole(c.mcp, c.configured)
		if got.Base != c.base {
			t.Errorf("FindConsole(%q, %q) = %q, want %q", c.mcp, c.configured, got.Base, c.base)
		}
		if got.Why == "" {
			t.Errorf("FindConsole(%q, %q) does not say why", c.mcp, c.configured)
		}
	}
}

func TestParseProject(t *testing.T) {
	for in, want := range map[string]links.Project{
		"default": {Name: "default"}, "165": {UID: "165"}, "prj-165": {UID: "165"}, "prj-x": {Name: "prj-x"},
		"": {}, "two words": {}, "4f0c8a52-0c39-4b1a-9f6e-0d2b6a1c7e11": {}, "a/b": {}, "123456789012345678901": {Name: "123456789012345678901"},
	} {
		if got := links.ParseProject(in); got != want {
			t.Errorf("ParseProject(%q) = %+v, want %+v", in, got, want)
		}
	}
}

// check holds for every link: it parses, stays on the console, and its two last
// segments are exactly the ids that went in.
func check(app, instance, name, uid string) string {
	p := links.Project{Name: name, UID: uid}
	got, why := links.Run(cloud, p, app, instance)
	if got == "" {
		if why == "" {
			return "no link and no reason"
		}
		return ""
	}
	u, err := url.Parse(got)
	if err != nil || u.Host != "catalyst.diagrid.io" || u.Fragment != "" || u.User != nil {
		return "not a link on the console: " + got
	}
	if u.Path != "/workflows/"+app+"/"+instance || strings.Count(u.EscapedPath(), "/") != 3 {
		return "another page: " + got
	}
	q := u.Query()
	if len(q) > 1 || q.Has("project") && q.Get("project") != name || q.Has("projectId") && "prj-"+q.Get("projectId") != "prj-"+strings.TrimPrefix(uid, "prj-") {
		return "another project: " + got
	}
	if len(q) == 0 && why == "" {
		return "no project and no caveat: " + got
	}
	for i := 0; i < len(got); i++ {
		if got[i] <= ' ' || got[i] >= 0x7f || strings.IndexByte(`()<>[]"'`+"`*", got[i]) >= 0 {
			return "a character that ends a link early: " + got
		}
	}
	return ""
}

func TestRunProperties(t *testing.T) {
	f := func(app, instance, name, uid string) bool {
		if msg := check(app, instance, name, uid); msg != "" {
			t.Log(msg)
			return false
		}
		return true
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 5000}); err != nil {
		t.Error(err)
	}
}

func FuzzRun(f *testing.F) {
	f.Add("orders", "order-42:0000", "default", "165")
	f.Add("executions", "../..", "prj-1", "prj-1")
	f.Add("a", "%2e%2e", "a b", "")
	f.Fuzz(func(t *testing.T, app, instance, name, uid string) {
		if msg := check(app, instance, name, uid); msg != "" {
			t.Error(msg)
		}
	})
}

func FuzzFindConsole(f *testing.F) {
	f.Add("https://mcp.cloud.r1.diagrid.io/mcp", "")
	f.Add("", "https://console.example.com")
	f.Fuzz(func(t *testing.T, mcp, configured string) {
		c := links.FindConsole(mcp, configured)
		if c.Base == "" {
			return
		}
		u, err := url.Parse(c.Base)
		if err != nil || u.Host == "" || u.User != nil || strings.HasSuffix(c.Base, "/") {
			t.Errorf("console %q", c.Base)
		}
	})
}
