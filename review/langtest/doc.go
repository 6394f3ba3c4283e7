// Package langtest holds the parity test: tiny programs, each written in every
// language, that mean the same and must therefore give the same facts. A new
// language fills its column: it adds a section to every file of testdata. What one
// language has for itself stands in a folder of its name there.
package langtest
