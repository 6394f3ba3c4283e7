package catalyst

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Source reads the runs of one Catalyst project. It connects at the first
// question, not before. Safe for concurrent use.
type Source struct {
	probing sync.Mutex
	config  Config
	session *session
	auth    *authorizer
	level   *levelEvidence
	cache   *runCache
	listed  *listed

	mu      sync.Mutex
	project history.Project // name and uid, as far as the server told both
	told    bool            // the server was asked for the project
}

var _ history.Source = (*Source)(nil)

// New returns a source for c. It asks nothing of the server.
func New(c Config) (*Source, error) {
	c, server, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	auth, err := newAuthorizer(c, &secrets{})
	if err != nil {
		return nil, err
	}
	level := &levelEvidence{configured: c.SharingLevel}
	return &Source{
		config:  c,
		session: newSession(c, server, auth, level),
		auth:    auth,
		level:   level,
		cache:   newRunCache(c.CacheBytes),
		listed:  newListed(c.Now),
		project: ParseProject(c.Project),
	}, nil
}

// InProject is a source for another project over the same connection and
// sign-in. Asking several projects is the caller's explicit choice.
func (s *Source) InProject(p history.Project) *Source {
	return &Source{
		config: s.config, session: s.session, auth: s.auth, level: s.level,
		cache: s.cache, listed: newListed(s.config.Now), project: p,
	}
}

// Close ends the connection.
func (s *Source) Close() { s.session.close() }

// Run reads one run.
func (s *Source) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	what := fmt.Sprintf("read run %q", clean.Line(ref.Instance, 200))
	if ref.Instance == "" {
		return nil, &fault.Error{Kind: fault.BadInput, What: "read a run: no id was given", Do: "Give the run's id; idem_list_runs lists them"}
	}
	if p := ref.Project; p != (history.Project{}) && !sameProject(p, s.knownProject()) {
		ref.Project = history.Project{}
		return s.InProject(p).Run(ctx, ref)
	}
	row, known := s.listed.get(ref.Instance)
	if known && (ref.Execution == "" || ref.Execution == row.Ref.Execution) && (ref.App == "" || ref.App == row.Ref.App) {
		if run, ok := s.cache.get(keyOf(row)); ok {
			return run, nil
		}
	}
	if ref.App == "" && known {
		ref.App = row.Ref.App
	}
	if ref.App == "" {
		ref.App = s.config.App
	}
	args, err := s.runArguments(ctx, ref)
	if err != nil {
		return nil, err
	}
	a, err := s.session.call(ctx, what, toolGetRun, append(args, argument{meaning: "whether to include data", names: dataNames, value: true, optional: true})...)
	if err != nil {
		return nil, err
	}
	if len(a.doc) == 0 {
		return nil, notRecognised(what, "it holds no JSON")
	}
	s.level.note(a.doc)
	sharing := s.sharingOf(ctx, a, args)
	ref.Project = s.knownProject()
	asked := ref.Execution
	ref.Execution = "" // the answer's own, so that another life is noticed
	run, err := readRun(a.doc, history.Options{Sharing: sharing, Fingerprint: s.config.Fingerprint, Ref: ref})
	if err != nil {
		if fault.KindOf(err) == fault.BadInput {
			return nil, notRecognised(what, "no list of events was found in it")
		}
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if asked != "" && run.Ref.Execution != "" && run.Ref.Execution != asked {
		return nil, &fault.Error{Kind: fault.NotFound, What: what + ": the run that carries this id now is another one (its execution id differs)", Means: "the earlier run's history is gone from the server", Do: "Read the present run without an execution id"}
	}
	for _, part := range failedParts(a.doc) {
		run.Coverage.Missing = append(run.Coverage.Missing, "the part "+clean.Line(part, 80)+" of the answer failed on the server")
	}
	if nextCursor(a.doc) != nil {
		run.Coverage.Missing = append(run.Coverage.Missing, "the server says that further events follow, and gives no way to ask for them here")
	}
	s.cache.put(run, int64(len(a.doc)))
	return run, nil
}

// runArguments names the run the way the tool wants it. The app is looked up in
// the listing when the tool requires one that nobody named.
func (s *Source) runArguments(ctx context.Context, ref history.Ref) ([]argument, error) {
	t, err := s.session.tool(ctx, toolGetRun)
	if err != nil {
		return nil, err
	}
	if ref.App == "" && t.requires(appNames) {
		if ref.App, err = s.appOf(ctx, ref.Instance); err != nil {
			return nil, err
		}
	}
	args := []argument{
		{meaning: "the project", names: projectNames, value: s.projectArgument()},
		{meaning: "the run's id", names: runNames, value: ref.Instance},
	}
	if ref.App != "" {
		args = append(args, argument{meaning: "the app", names: appNames, value: ref.App, optional: true})
	}
	return args, nil
}

// maxAppSearch bounds how many runs are looked through for a run's app.
const maxAppSearch = 2000

func (s *Source) appOf(ctx context.Context, instance string) (string, error) {
	n, app := 0, ""
	for h, err := range s.Runs(ctx, history.Filter{}) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			continue
		case err != nil:
			return "", err
		}
		if h.Ref.Instance == instance {
			app = h.Ref.App
			break
		}
		if n++; n == maxAppSearch {
			break
		}
	}
	if app == "" {
		return "", &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("read run %q: its app is not known", clean.Line(instance, 200)), Means: "Catalyst names a run by its app and its id", Do: "Give the app as well, or set catalyst.app"}
	}
	return app, nil
}

// sharingOf is the level that holds for a run's answer. Where nothing tells it,
// one export per process is asked for: a refusal proves the level metadata, and
// nothing is taken from an export that is served. An answer that does not fit
// the evidence is asked about again, and runs kept from before are forgotten.
func (s *Source) sharingOf(ctx context.Context, a answer, args []argument) history.Sharing {
	stale := s.level.observe(a.doc)
	if stale {
		s.cache.clear()
	}
	sharing := s.level.of(a.doc)
	if sharing.How == howServed || s.config.NoLevelProbe {
		return sharing
	}
	s.probing.Lock() // what is read beside a probe waits for what it learns
	defer s.probing.Unlock()
	if !s.level.wantsProbe(stale) {
		return s.level.of(a.doc)
	}
	_, err := s.session.call(ctx, "learn the data-sharing level", toolExportRun, args...)
	var r *Refusal
	if err == nil || errors.As(err, &r) && r.Kind != DataSharingRestricted {
		s.level.lift()
	}
	if sharing = s.level.of(a.doc); err == nil && sharing.Level != history.LevelFull {
		return history.Sharing{Level: history.LevelFull, How: howExport}
	}
	return sharing
}
