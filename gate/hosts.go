package gate

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// isLoopback reports whether addr, host or host:port, names this machine only.
// An empty host means every interface.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.Trim(addr, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// named reports whether the request's Host is one of this server's names. On
// loopback a Host that names another machine is a rebound DNS name.
func (g *Gate) named(r *http.Request) bool {
	if slices.Contains(g.Hosts, r.Host) {
		return true
	}
	if g.Loopback {
		return isLoopback(r.Host)
	}
	return len(g.Hosts) == 0
}

// origin accepts requests that no browser made, those of a page that this very
// server could have served, and configured origins.
func (g *Gate) origin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		site := r.Header.Get("Sec-Fetch-Site")
		return site == "" || site == "none" || site == "same-origin"
	}
	if len(origins) > 1 {
		return false
	}
	if slices.Contains(g.Origins, origins[0]) {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host)
}

// bearer returns the request's bearer token, empty when there is none. A token in
// the address is never read: addresses are logged by everything on the way.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
