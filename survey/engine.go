package survey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/backend"
	"github.com/dapr/durabletask-go/backend/sqlite"
	"github.com/dapr/durabletask-go/task"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// engine is the workflow engine in this process, over a file that outlives it.
// Another process may have the same file open: the engine's own locks share the
// work out.
type engine struct {
	client backend.TaskHubClient
	worker backend.TaskHubWorker
	stop   context.CancelFunc
	looks  *sql.DB
}

// startEngine opens the file and goes on with whatever was under way in it. The
// engine lives until close: longer than the call that started it.
func (v *Surveyor) startEngine(ctx context.Context, path string) (e *engine, err error) {
	defer func() { // the backend panics where its file cannot be opened
		if p := recover(); p != nil {
			e, err = nil, &fault.Error{Kind: fault.Config, What: "open the survey's engine", Do: "Look whether survey.dir can be written and has room", Cause: fmt.Errorf("%v", p)}
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "make the folder of the survey's engine", Do: "Set survey.dir to a folder that can be written", Cause: err}
	}
	registry := task.NewTaskRegistry()
	if err := v.register(registry); err != nil {
		return nil, err
	}
	file := fileURL(path, "busy_timeout(20000)", "journal_mode(WAL)", "synchronous(FULL)")
	options := sqlite.NewSqliteOptions(file)
	options.WorkflowLockTimeout, options.ActivityLockTimeout = v.config.LockTime, v.config.LockTime
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, fmt.Errorf("open the survey's engine: %w", err)
	}
	be := &paced{Backend: sqlite.NewSqliteBackend(options, quiet{}), db: db}
	exec := task.NewTaskExecutorWithLogger(registry, quiet{})
	e = &engine{client: backend.NewTaskHubClient(be), looks: db}
	// One at a time: the engine does not renew a lock, and a worker with room to
	// spare would take its own step again when that lasts longer. Another process
	// may; that changes nothing, since every step may run twice.
	one := backend.WithMaxParallelism(1)
	e.worker = backend.NewTaskHubWorker(be,
		backend.NewWorkflowWorker(backend.WorkflowWorkerOptions{Backend: be, Executor: exec, Logger: quiet{}, AppID: OwnApp}, one),
		backend.NewActivityTaskWorker(be, exec, quiet{}, one), quiet{})
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	if err := e.worker.Start(run); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("start the survey's engine: %w", err), db.Close())
	}
	return e, nil
}

// register names the workflow and its activities.
func (v *Surveyor) register(r *task.TaskRegistry) error {
	return errors.Join(
		r.AddWorkflowN(scanName, v.scan),
		r.AddActivityN(listName, v.listActivity),
		r.AddActivityN(pageName, v.pageActivity),
		r.AddActivityN(finishName, v.finishActivity),
	)
}

func (v *Surveyor) listActivity(ctx task.ActivityContext) (any, error) {
	var at position
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	return v.list(ctx.Context(), at)
}

func (v *Surveyor) pageActivity(ctx task.ActivityContext) (any, error) {
	var at position
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	return v.page(ctx.Context(), at)
}

func (v *Surveyor) finishActivity(ctx task.ActivityContext) (any, error) {
	var at position
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	return v.end(ctx.Context(), at)
}

// schedule makes sure that a survey is under way: a workflow that is there already
// is not begun again.
func (e *engine) schedule(ctx context.Context, id string) error {
	_, err := e.client.ScheduleNewWorkflow(ctx, scanName, api.WithInstanceID(api.InstanceID(id)), api.WithInput(position{Survey: id}))
	if err != nil && (errors.Is(err, api.ErrDuplicateInstance) || strings.Contains(err.Error(), api.ErrDuplicateInstance.Error())) {
		return nil
	}
	return err
}

// purge forgets an ended workflow, whose results are in the index.
func (e *engine) purge(ctx context.Context, id string) {
	_ = e.client.PurgeWorkflowState(ctx, api.InstanceID(id)) // what stays is a few rows
}

// close stops the engine between two steps and waits for those under way.
func (e *engine) close(ctx context.Context) error {
	e.stop()
	return errors.Join(e.worker.Shutdown(ctx), e.looks.Close())
}

// host is the engine of a Surveyor, started when it is first needed.
type host struct {
	mu sync.Mutex
	*engine
}

// lockTime is how long a step of a killed process stays locked before another
// goes on with it.
const lockTime = 10 * time.Second

// quiet is the engine's logger. What goes wrong is told by the survey's state.
type quiet struct{}

func (quiet) Debug(...any)          {}
func (quiet) Debugf(string, ...any) {}
func (quiet) Info(...any)           {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warn(...any)           {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}
