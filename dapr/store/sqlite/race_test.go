//go:build race

package sqlite_test

// foreignRows is smaller under the race detector, which the pure Go engine
// makes ten times slower.
const foreignRows = 100_000
