// Package store reads workflow runs straight from a Dapr state store.
//
// The three stores (postgres, sqlite, redis) differ only in how rows are found
// and encoded; what a key means, how rows become a run, paging, filters and
// what is said about a run that could be read only in part are here.
//
// Reading is in two steps. Names lists the runs of the store in the order of
// their keys, a window at a time; Load reads the rows of some hundred of them
// in one query or pipeline. No transaction or statement stays open between the
// two, so a slow reader never holds back the engine or the store's vacuum, and
// memory is bounded by one window of names and two batches of rows, however
// many runs or foreign keys the store holds. Tried and rejected: one ordered
// scan over everything, which needs an index in byte order that PostgreSQL has
// only under the C collation and Redis not at all.
//
// Read-only by construction: no backend holds a write command (a test reads
// the source), PostgreSQL is asked for read-only transactions, SQLite is opened
// with mode=ro and query_only, and the Redis client refuses every command that
// is not on a short list of reads.
package store
