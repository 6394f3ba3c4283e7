// Package git reads the source text of a commit through the git executable.
//
// The repository may be anybody's, so nothing that its configuration or
// attributes name is run: only plumbing commands that read objects are used
// (rev-parse, merge-base, ls-tree, cat-file), which know no hooks, filters,
// external diffs or text conversions; monitors, helpers and transports are
// turned off besides, so that a missing object is missing and never fetched.
// Variables that point git at another repository are taken out of the
// environment. Replaced objects are read as they are stored. Time, the number
// of files and the bytes read are bounded.
//
// A library was weighed: those in Go lack worktrees with their own
// configuration, newer reference stores or SHA-256, and a build that reads a
// commit has git.
package git
