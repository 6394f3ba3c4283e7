package tools

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// compared is a project's source set beside an earlier state of it.
type compared struct {
	review.Comparison
	Head review.Result
	// Lost are the files that only the base could not be read of.
	Lost []review.Skipped
}

// state is a project's source set as it was at one time.
type state struct {
	fs.FS
	// unread are the files that did not come with the others, with the reason.
	unread []review.Skipped
}

// compareReviews reviews two states of a whole project and says what the change
// between them touches and affects. Paths limit what is reported, not what is
// read: an activity that moved, or one whose call site elsewhere changed, is
// known only from all of it.
//
// The base is read with the ignore files of the head. A file that is ignored
// since would otherwise look like one whose findings are fixed. Renamed names the
// earlier path of a file, where it is known to be another.
func (d Deps) compareReviews(ctx context.Context, base, head state, renamed map[string]string, paths, symbols []string) (compared, error) {
	all := append([]string{"."}, paths...) // a vendored folder is read when it is named
	// Everything is parsed: a file that is broken since does not look like one whose
	// activities are gone.
	before, err := d.review(ctx, review.Config{Files: ignoring{base.FS, head.FS}, Paths: all, Symbols: symbols, Everything: true})
	if err != nil {
		return compared{}, err
	}
	after, err := d.review(ctx, review.Config{Files: head.FS, Paths: all, Symbols: symbols, Everything: true}) // not at once: memory is bounded
	if err != nil {
		return compared{}, err
	}
	before.Skipped, after.Skipped = slices.Concat(before.Skipped, base.unread), slices.Concat(after.Skipped, head.unread)
	lost := slices.DeleteFunc(before.Skipped, func(s review.Skipped) bool {
		return review.OnPurpose(s.Reason) || slices.Contains(after.Skipped, s) || s.File == "*"
	})
	return compared{review.CompareResults(&before, &after, renamed, within(paths)), after, lost}, nil
}

// ignoring is a file system with the ignore files of another.
type ignoring struct {
	fs.FS
	ignores fs.FS
}

func (f ignoring) Open(name string) (fs.File, error) {
	if n := path.Base(name); n == ".gitignore" || n == ".idemignore" {
		return f.ignores.Open(name)
	}
	return f.FS.Open(name)
}

// within reports whether a file is, or lies below, one of the paths.
func within(paths []string) func(string) bool {
	return func(file string) bool {
		return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
			p = path.Clean(p)
			return p == "." || file == p || strings.HasPrefix(file, p+"/")
		})
	}
}
