// Package githubtest is a stand-in for GitHub in tests: repositories in memory
// behind the parts of the REST API that package github reads, in the shapes of
// its documentation. It is no part of the product.
package githubtest

import (
	"crypto/sha1" // git's names
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Web is the address of the stand-in when it is asked through Transport.
const Web = "https://github.example"

// Server is one GitHub. Its fields are set before it is asked.
type Server struct {
	// Token, when set, is required: without it everything is "not found".
	Token string
	// TruncateAbove cuts recursive trees of more entries; 0 cuts none.
	TruncateAbove int
	// Intercept may answer a request itself; it then returns true.
	Intercept func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	blobs    map[string][]byte
	trees    map[string][]Entry
	commits  map[string]string // commit to tree
	pulls    map[string]Pull
	requests []Request
}

// Request is one that was made.
type Request struct {
	Path          string // with the query
	Authorization string
	Status        int
}

// Entry is a member of a tree.
type Entry struct {
	Path, Mode, Type, SHA string
	Size                  int
}

// Pull is a pull request: what its head and base are. Merge base and base are the
// same unless said otherwise.
type Pull struct {
	Repo             string // OWNER/NAME
	Number           int
	Base, Head       string // commits
	MergeBase        string
	HeadRepo         string // a fork
	Renamed          map[string]string
	NoCompare        bool // the commits have nothing in common
	ListsOnly, Total int  // only so many changed files are listed, of so many
}

// New makes an empty GitHub.
func New() *Server {
	return &Server{blobs: map[string][]byte{}, trees: map[string][]Entry{}, commits: map[string]string{}, pulls: map[string]Pull{}}
}

func name(kind string, content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...))
	return hex.EncodeToString(sum[:])
}

// Blob stores a content.
func (s *Server) Blob(text []byte) string {
	sha := name("blob", text)
	s.blobs[sha] = text
	return sha
}

// Tree stores a tree of any entries, sound or not.
func (s *Server) Tree(entries []Entry) string {
	sha := name("tree", fmt.Appendf(nil, "%+v", entries))
	s.trees[sha] = entries
	return sha
}

// SetTree makes a tree stand under a name that it does not have.
func (s *Server) SetTree(sha string, entries []Entry) { s.trees[sha] = entries }

// CommitTree stores a commit of a tree.
func (s *Server) CommitTree(tree string) string {
	sha := name("commit", []byte("tree "+tree))
	s.commits[sha] = tree
	return sha
}

// Commit stores a commit that holds files. A path that ends in "@" is a symbolic
// link to its content, one that ends in "!" a submodule.
func (s *Server) Commit(files map[string]string) string { return s.CommitTree(s.folder(files)) }

func (s *Server) folder(files map[string]string) string {
	var entries []Entry
	sub := map[string]map[string]string{}
	for p, text := range files {
		if dir, rest, ok := strings.Cut(p, "/"); ok {
			if sub[dir] == nil {
				sub[dir] = map[string]string{}
			}
			sub[dir][rest] = text
			continue
		}
		e := Entry{Path: p, Mode: "100644", Type: "blob", Size: len(text)}
		if link, ok := strings.CutSuffix(p, "@"); ok {
			e.Path, e.Mode = link, "120000"
		}
		if module, ok := strings.CutSuffix(p, "!"); ok {
			e = Entry{Path: module, Mode: "160000", Type: "commit", SHA: name("commit", []byte(text))}
		} else {
			e.SHA = s.Blob([]byte(text))
		}
		entries = append(entries, e)
	}
	for dir, files := range sub {
		entries = append(entries, Entry{Path: dir, Mode: "040000", Type: "tree", SHA: s.folder(files)})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return s.Tree(entries)
}

// Pull opens a pull request.
func (s *Server) Pull(p Pull) {
	if p.MergeBase == "" {
		p.MergeBase = p.Base
	}
	s.pulls[fmt.Sprintf("%s#%d", p.Repo, p.Number)] = p
}

// Requests are those made so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count is how many requests had a part in their path.
func (s *Server) Count(part string) int {
	n := 0
	for _, r := range s.Requests() {
		if strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
}

// Start serves on this machine and returns the address to configure.
func (s *Server) Start() (url string, stop func()) {
	srv := httptest.NewServer(s)
	return srv.URL, srv.Close
}

// Transport asks the stand-in without a network, as if it were at Web.
func (s *Server) Transport() http.RoundTripper { return inProcess{s} }

type inProcess struct{ server *Server }

func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Context().Err() != nil {
		return nil, req.Context().Err()
	}
	w := httptest.NewRecorder()
	r := req.Clone(req.Context())
	r.Host = req.URL.Host
	t.server.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = req
	return resp, nil
}

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	s.mu.Lock()
	i := len(s.requests)
	s.requests = append(s.requests, Request{Path: r.URL.RequestURI(), Authorization: r.Header.Get("Authorization")})
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests[i].Status = rec.status
	}()
	if s.Intercept != nil && s.Intercept(rec, r) {
		return
	}
	s.serve(rec, r)
}
