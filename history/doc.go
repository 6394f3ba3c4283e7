// Package history is the model of a workflow run, the readers of every shape a
// run comes in, and everything that can be said about it from its events alone.
//
// It is pure: no I/O, no clock, no network. A source (package catalyst, the
// packages under dapr) fetches bytes and hands them to a reader here; wire
// types of Dapr, Catalyst or a CLI appear only in the readers.
//
// What does not belong here: fetching, printing, source code, logs.
package history
