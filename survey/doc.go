// Package survey answers what only many runs can: which activities are executed
// more than once, how often after an unknown outcome, and whether that changes.
//
// A survey is a durable workflow (scan.go) on durabletask-go, in this process over
// a SQLite file (engine.go): its activities read a page of the source each
// (page.go, listed.go) and write what the runs show to an index (write.go) by a
// conditional upsert, so that a page which is read twice changes nothing. The
// index (index.go) holds names, ids, times and counts, never payloads; answers
// (answer.go) come from it alone, so that asking costs the source nothing.
//
// There is no queue, no scheduler and no lock of our own: where a survey stands,
// what is retried and who works on it is the engine's business.
package survey
