package sqlite

import (
	"context"
	"errors"
	"os"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

func (b *backend) fileError(err error) error {
	f := &fault.Error{Kind: fault.Unknown, What: "open " + b.path, Means: "no run was read", Cause: err}
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Kind, f.Do = fault.Unreachable, "Check connectionString; a relative path is relative to where the sidecar was started"
	case errors.Is(err, os.ErrPermission):
		f.Kind, f.Do = fault.Forbidden, "Let this user read the file"
	}
	return f
}

// explain says what a failure means. ctx is the caller's: its end is told as
// itself, our own time limit as unreachable.
func (b *backend) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	f := &fault.Error{Kind: fault.Unknown, What: "read " + b.Where(), Cause: errors.New(clean.Line(err.Error(), 300))}
	var se *driver.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Means, f.Do = fault.Unreachable, "the query took longer than the source's time limit", "Raise the timeout"
	case errors.As(err, &se):
		classify(f, se.Code()&0xff, se.Error())
	}
	return f
}

func classify(f *fault.Error, code int, text string) {
	switch code {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		f.Kind, f.Do = fault.Unreachable, "The file is locked by its writer; try again"
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY, lib.SQLITE_AUTH:
		f.Kind, f.Do = fault.Forbidden, "Let this user read the file and the -wal and -shm files beside it, or read a copy of all three"
	case lib.SQLITE_NOTADB:
		f.Kind, f.Do = fault.Damaged, "Check connectionString: this is no SQLite database"
	case lib.SQLITE_CORRUPT, lib.SQLITE_IOERR:
		f.Kind, f.Do = fault.Damaged, "Read a backup, or use the sidecar"
	case lib.SQLITE_ERROR:
		if strings.Contains(text, "no such table") || strings.Contains(text, "no such column") {
			f.Kind, f.Do = fault.Config, "Set the component's tableName; this is not the table a Dapr runtime writes"
		}
	}
}
