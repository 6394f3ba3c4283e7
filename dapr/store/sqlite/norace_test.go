//go:build !race

package sqlite_test

const foreignRows = 1_000_000
