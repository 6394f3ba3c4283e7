// Package fault holds the error type that crosses package boundaries: what
// failed, on which input, what that means for the question asked, and what to
// do next. Anything else an error may need (HTTP status, gRPC code) stays in
// the package that met it and travels as Cause.
package fault

import (
	"errors"
	"strings"
)

// Kind is what a caller branches on. The zero value is Unknown: an
// unclassified failure is never "not found".
type Kind uint8

// The kinds of failure.
const (
	Unknown     Kind = iota // not classified
	BadInput                // the caller's argument or file cannot be used
	NotFound                // the source answered: there is no such thing
	Forbidden               // the source answered: not for you (signed in, but refused)
	SignIn                  // no valid sign-in
	Withheld                // refused by the organization's data-sharing level
	Unsupported             // the source cannot do this at all
	Unreachable             // no answer: network, time-out, process not running
	TooLarge                // a size, depth or count limit was met
	Damaged                 // the source answered with something that cannot be read
	Config                  // the configuration is wrong
)

var kindNames = [...]string{"unknown", "bad_input", "not_found", "forbidden", "sign_in", "withheld", "unsupported", "unreachable", "too_large", "damaged", "config"}

// String is the stable snake_case name used in answers.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[Unknown]
}

// Error is a failure told to a person or an agent. What is required; the
// other fields are left out of the text when empty.
type Error struct {
	Kind Kind
	// What failed and on which input: "read run order-42".
	What string
	// Means says what the failure means for the question: "no run was read, so
	// nothing is known about duplicates".
	Means string
	// Do says what to do next: the setting, permission, argument or call.
	Do string
	// Cause is the underlying error. Foreign text in it must be cleaned by
	// whoever wraps it.
	Cause error
}

// Error joins the parts in the order a reader needs them.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.What)
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	if e.Means != "" {
		b.WriteString("; ")
		b.WriteString(e.Means)
	}
	if e.Do != "" {
		b.WriteString(". ")
		b.WriteString(e.Do)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of the outermost Error in err's chain, Unknown when
// there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unknown
}
