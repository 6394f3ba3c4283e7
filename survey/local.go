package survey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/backend"
	"github.com/dapr/durabletask-go/backend/sqlite"
	"github.com/dapr/durabletask-go/task"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// startLocal opens the engine in this process, over a file that outlives it, and
// goes on with whatever was under way in it. Another process may have the same file
// open: the engine's own locks share the work out. The engine lives until it is
// closed: longer than the call that started it.
func (v *Surveyor) startLocal(ctx context.Context, path string) (e *engine, err error) {
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
	log := logger{} // the survey's state tells what went wrong
	be := &paced{Backend: sqlite.NewSqliteBackend(options, log), db: db, due: sqliteDue(), later: later}
	exec := task.NewTaskExecutorWithLogger(registry, log)
	client := backend.NewTaskHubClient(be)
	// One at a time: the engine does not renew a lock, and a worker with room to
	// spare would take its own step again when that lasts longer. Another process
	// may; that changes nothing, since every step may run twice.
	one := backend.WithMaxParallelism(1)
	worker := backend.NewTaskHubWorker(be,
		backend.NewWorkflowWorker(backend.WorkflowWorkerOptions{Backend: be, Executor: exec, Logger: log, AppID: OwnApp}, one),
		backend.NewActivityTaskWorker(be, exec, log, one), log)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	if err := worker.Start(run); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("start the survey's engine: %w", err), db.Close())
	}
	return &engine{
		schedule: func(ctx context.Context, workflow string, opts ...api.NewWorkflowOptions) (api.InstanceID, error) {
			return client.ScheduleNewWorkflow(ctx, workflow, opts...)
		},
		look: client.FetchWorkflowMetadata, forget: client.PurgeWorkflowState,
		close: func(ctx context.Context) error { // between two steps, after those under way
			stop()
			return errors.Join(worker.Shutdown(ctx), db.Close())
		},
	}, nil
}
