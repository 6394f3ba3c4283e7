// Package survey answers what only many runs can: which activities are executed
// more than once, how often after an unknown outcome, and whether that changes.
//
// A survey is a durable workflow (scan.go) on durabletask-go: the source is divided
// into partitions (plan.go, cut.go), a child workflow reads each, and its activities
// read a page of it each (page.go, listed.go) and write what the runs show to an
// index (write.go) by a conditional upsert, so that a page which is read twice changes
// nothing. The index (index.go, postgres.go) holds names, ids, times and counts, never
// payloads; answers (answer.go) come from it alone, so that asking costs the source
// nothing.
//
// Who runs the workflow is a choice (engine.go): this process over a SQLite file
// (local.go), or an engine that several processes share (shared.go): a Dapr sidecar,
// or the engine host (host.go), which is the library over PostgreSQL.
//
// There is no queue, no scheduler and no lock of our own: where a survey stands,
// what is retried and who works on it is the engine's business.
package survey
