// Package rosqlite opens SQLite files in a way that cannot change them: mode=ro
// and query_only. A file in WAL mode that no process has open (there is no -wal
// file beside it) is opened as immutable, since SQLite would otherwise create
// -wal and -shm files; whoever reads such a file checks Stale and reads again.
package rosqlite

import (
	"database/sql"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // registers the driver
)

// Stamp is what an immutable open relies on.
type Stamp struct {
	size     int64
	modified time.Time
}

// Open opens the file at path. The stamp is set when it was opened as immutable.
// An error of the file itself (not there, not readable) is returned as it is.
func Open(path string) (*sql.DB, *Stamp, error) {
	info, wal, err := inspect(path)
	if err != nil {
		return nil, nil, err
	}
	params := "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(2000)&_pragma=cache_size(-32000)"
	var frozen *Stamp
	if wal && !exists(path+"-wal") {
		params += "&immutable=1"
		frozen = &Stamp{size: info.Size(), modified: info.ModTime()}
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: params}
	db, err := sql.Open("sqlite", u.String())
	return db, frozen, err
}

// inspect tells whether the file is a database in WAL mode (bytes 18 and 19 of
// its header).
func inspect(path string) (os.FileInfo, bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	var header [20]byte
	if _, err := f.ReadAt(header[:], 0); err != nil {
		return info, false, nil // too short for a database: the first query says so
	}
	return info, header[18] == 2 && header[19] == 2, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Stale reports whether the file changed, or got a writer, since it was opened
// as immutable.
func (s Stamp) Stale(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() != s.size || !info.ModTime().Equal(s.modified) || exists(path+"-wal")
}
