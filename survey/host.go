package survey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dapr/durabletask-go/backend"
	"github.com/dapr/durabletask-go/backend/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// HostConfig is what an engine host needs.
type HostConfig struct {
	// Database is the connection string of the PostgreSQL that holds the workflows.
	// Never printed.
	Database string
	// LockTime is how long the work of a host that was killed stays locked; 0: 10 s.
	// The locks of a living one are renewed.
	LockTime time.Duration
	Log      Log
}

// Host is the engine that several workers share: durabletask-go over PostgreSQL,
// served by its own gRPC service, which knows no authentication. One host serves a
// database: a second would hand out the same work again, which changes no result.
func Host(ctx context.Context, on net.Listener, c HostConfig) (err error) {
	defer func() { // the backend panics where its tables cannot be made
		if p := recover(); p != nil {
			err = &fault.Error{Kind: fault.Config, What: "prepare the database of the engine", Do: "Look whether the user of survey.engine_database may make tables", Cause: errors.New(clean.Line(fmt.Sprint(p), 300))}
		}
	}()
	pool, err := pgxpool.ParseConfig(c.Database)
	if err != nil || c.Database == "" { // the cause may quote the string, password and all
		return &fault.Error{Kind: fault.Config, What: "survey.engine_database cannot be read", Do: "Give a postgres:// URL, or host=… user=… dbname=…"}
	}
	if catalysthost.Is(pool.ConnConfig.Host) {
		return catalysthost.Refuse("PostgreSQL host " + clean.Line(pool.ConnConfig.Host, 200))
	}
	pool.MaxConns = 8
	if pool.ConnConfig.ConnectTimeout == 0 {
		pool.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	if c.LockTime <= 0 {
		c.LockTime = lockTime
	}
	log := logger{c.Log}
	db := stdlib.OpenDB(*pool.ConnConfig)
	db.SetMaxOpenConns(3)
	defer db.Close() //nolint:errcheck // nothing is written over it that counts
	if err := db.PingContext(ctx); err != nil {
		return &fault.Error{Kind: fault.Unreachable, What: "reach the database of the engine", Do: "Look whether the PostgreSQL of survey.engine_database runs", Cause: errors.New(clean.Line(err.Error(), 300))}
	}
	var workers atomic.Int64
	inner := postgres.NewPostgresBackend(&postgres.PostgresOptions{PgOptions: pool, WorkflowLockTimeout: c.LockTime, ActivityLockTimeout: c.LockTime}, log)
	be := &holding{paced: &paced{Backend: inner, db: db, due: postgresDue(), later: 2 * later, ready: func() bool { return workers.Load() > 0 }}, lock: c.LockTime}
	stopping := make(chan any)
	exec, serve := backend.NewGrpcExecutor(be, log, backend.WithStreamShutdownChannel(stopping), backend.WithSkipWaitForInstanceStart(),
		backend.WithOnGetWorkItemsConnectionCallback(func(context.Context) error { workers.Add(1); return nil }),
		backend.WithOnGetWorkItemsDisconnectCallback(func(context.Context) error { workers.Add(-1); return nil }))
	worker := backend.NewTaskHubWorker(be,
		backend.NewWorkflowWorker(backend.WorkflowWorkerOptions{Backend: be, Executor: exec, Logger: log, AppID: OwnApp}),
		backend.NewActivityTaskWorker(be, exec, log), log)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if err := worker.Start(run); err != nil {
		return fmt.Errorf("start the engine: %w", err)
	}
	// A worker that is frozen or cut off does not answer a ping, and loses its work.
	server := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 10 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}))
	serve(server)
	go be.renew(run)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(on) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	close(stopping) // the streams end, and with them what their workers hold
	server.Stop()
	stop()
	return errors.Join(err, worker.Shutdown(context.WithoutCancel(ctx)))
}

// holding renews the locks of what workers are at, which the library does not: its
// locks would have to outlast the longest step, and so long would the work of a
// killed host lie idle.
type holding struct {
	*paced
	lock time.Duration

	mu    sync.Mutex
	tasks map[int64]held  // by number
	turns map[string]held // by instance id
}

type held struct {
	by    string
	until time.Time // then it is given up: its answer was lost
}

// How long a step may take at most. The list of a source is taken in one.
const (
	longestTask = time.Hour
	longestTurn = time.Minute
)

// afterFailure keeps the library from asking without a pause while the database is
// away.
const afterFailure = 200 * time.Millisecond

// NextActivityWorkItem implements backend.Backend.
func (h *holding) NextActivityWorkItem(ctx context.Context) (*backend.ActivityWorkItem, error) {
	wi, err := h.paced.NextActivityWorkItem(ctx)
	if err != nil {
		return nil, pauseAfter(ctx, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tasks == nil {
		h.tasks = map[int64]held{}
	}
	h.tasks[wi.SequenceNumber] = held{wi.LockedBy, now().Add(longestTask)}
	return wi, nil
}

// NextWorkflowWorkItem implements backend.Backend.
func (h *holding) NextWorkflowWorkItem(ctx context.Context) (*backend.WorkflowWorkItem, error) {
	wi, err := h.paced.NextWorkflowWorkItem(ctx)
	if err != nil {
		return nil, pauseAfter(ctx, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.turns == nil {
		h.turns = map[string]held{}
	}
	h.turns[string(wi.InstanceID)] = held{wi.LockedBy, now().Add(longestTurn)}
	return wi, nil
}

func pauseAfter(ctx context.Context, err error) error {
	select {
	case <-time.After(afterFailure):
	case <-ctx.Done():
	}
	return err
}

// CompleteActivityWorkItem implements backend.Backend.
func (h *holding) CompleteActivityWorkItem(ctx context.Context, wi *backend.ActivityWorkItem) error {
	h.dropTask(wi.SequenceNumber)
	return h.paced.CompleteActivityWorkItem(ctx, wi)
}

// AbandonActivityWorkItem implements backend.Backend.
func (h *holding) AbandonActivityWorkItem(ctx context.Context, wi *backend.ActivityWorkItem) error {
	h.dropTask(wi.SequenceNumber)
	return h.paced.AbandonActivityWorkItem(ctx, wi)
}

// CompleteWorkflowWorkItem implements backend.Backend.
func (h *holding) CompleteWorkflowWorkItem(ctx context.Context, wi *backend.WorkflowWorkItem) error {
	h.dropTurn(string(wi.InstanceID))
	return h.paced.CompleteWorkflowWorkItem(ctx, wi)
}

// AbandonWorkflowWorkItem implements backend.Backend.
func (h *holding) AbandonWorkflowWorkItem(ctx context.Context, wi *backend.WorkflowWorkItem) error {
	h.dropTurn(string(wi.InstanceID))
	return h.paced.AbandonWorkflowWorkItem(ctx, wi)
}

func (h *holding) dropTask(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, n)
}

func (h *holding) dropTurn(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.turns, id)
}

// renew puts off the end of every lock that is held, three times in its life. One
// that could not be put off is taken again, and the step runs twice.
func (h *holding) renew(ctx context.Context) {
	for {
		select {
		case <-time.After(h.lock / 3):
		case <-ctx.Done():
			return
		}
		h.mu.Lock()
		maps.DeleteFunc(h.tasks, func(_ int64, x held) bool { return now().After(x.until) })
		maps.DeleteFunc(h.turns, func(_ string, x held) bool { return now().After(x.until) })
		tasks, turns := maps.Clone(h.tasks), maps.Clone(h.turns)
		h.mu.Unlock()
		until := now().Add(h.lock)
		for n, x := range tasks {
			_, _ = h.exec(ctx, `UPDATE NewTasks SET LockExpiration = $1 WHERE SequenceNumber = $2 AND LockedBy = $3`, until, n, x.by)
		}
		for id, x := range turns {
			_, _ = h.exec(ctx, `UPDATE Instances SET LockExpiration = $1 WHERE InstanceID = $2 AND LockedBy = $3 AND LockExpiration IS NOT NULL`, until, id, x.by)
		}
	}
}

func (h *holding) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, h.lock/3)
	defer cancel()
	return h.db.ExecContext(ctx, query, args...)
}

// now is the real time, in the zone in which the library writes it.
func now() time.Time { return time.Now().UTC() } //nolint:forbidigo // the engine writes real times beside it
