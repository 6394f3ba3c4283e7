// Package store reads workflow runs straight from a Dapr state store.
//
// The three stores (postgres, sqlite, redis) differ only in how rows are found
// and encoded; what a key means, how rows become a run, paging, filters and
// what is said about a run that could be read only in part are here.
//
// A scan over many runs is a series of short queries, a page of rows each, in
// the order of the index over the keys (PostgreSQL, SQLite), or a pass over the
// keyspace and one pipeline for some hundred runs (Redis, which has no order).
// No transaction or statement stays open between two of them, so a slow reader
// never holds back the engine or the store's vacuum; what the engine writes
// meanwhile is noticed and read again. Memory is bounded by two pages and by
// the names of one window in Redis, however many runs or foreign keys the store
// holds. A cursor is the location of the last run.
//
// Tried and rejected in PostgreSQL: looking up every row by its exact key (four
// times the work under a linguistic collation, which compares slowly), sorting
// by bytes (a sort of the whole table for each window), and one long cursor (a
// snapshot that vacuum has to wait for).
//
// Read-only by construction: no backend holds a write command (a test reads
// the source), PostgreSQL is asked for read-only transactions, SQLite is opened
// with mode=ro and query_only, and the Redis client refuses every command that
// is not on a short list of reads.
package store
