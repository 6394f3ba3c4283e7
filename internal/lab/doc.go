// Package lab runs the real workflow engine (durabletask-go, in process, on its
// SQLite backend) with workflows whose activities write a ledger outside the
// engine, injects faults at the engine's seams, reads the stored histories back
// and holds the findings of package history against the ledger.
//
// It answers two questions: do the detectors report every repeat that a history
// records and nothing that it does not, and does the engine do every call at
// least one time whatever fails around it. It does not measure rates. The
// backend commits a turn and the activities that it scheduled in one transaction,
// so a lost commit does not happen by itself here; the seam fakes it, and what
// follows differs from a Dapr runtime: there a marked call's second body is
// mostly skipped, here it always runs. Rates that answers quote come from the
// real runs in examples/runs and from nowhere else. Reruns are not run here
// either: this backend does not implement them.
//
// Plans are made from a seed, so a run of the lab can be repeated. Nothing here
// is part of the product; it may import history and nothing else of it.
package lab
