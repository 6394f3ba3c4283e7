// Package soak keeps the built binary busy over stdio and HTTP while everything it
// reads from misbehaves, and looks for what a short test cannot see: goroutines,
// file descriptors or memory that grow, and answers that are wrong rather than
// refused or partial.
//
// It is skipped unless SOAK holds a duration: make soak TIME=1h.
package soak
