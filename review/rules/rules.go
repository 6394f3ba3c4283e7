// Package rules lists the rules, one folder each. A rule's documentation is the
// package comment of its folder and the marked parts of its example files;
// package ruletest holds the folder to that, and runs the examples.
package rules

//go:generate go run ./gen
