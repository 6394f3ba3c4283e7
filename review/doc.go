// Package review reads the code of workflow activities and answers one
// question for each: if this body runs twice with the same input, is the
// outside world the same as after one run?
//
// # How it works
//
//	source text
//	  → parse         one flat syntax tree (review/parse, the only tree-sitter)
//	  → Language.Lower  the common form of ir.go (review/lang/<language>)
//	  → repo          who is defined where; files are read when a name is needed
//	  → roster        which functions are activities, which workflow calls them
//	  → trace         one walk of a body, following calls into the repository:
//	                  every value carries its origin, every outside call becomes
//	                  an Effect with key, guard and path
//	  → rules         read the facts of one activity and report findings
//	  → Result        verdict: hazard if a finding is one, else verify, else safe
//
// Only lowering is written per language. What a library call does is a row of a
// table in review/knowledge; a method is compared by its normal name, without
// case, underscores and a trailing "async", so that one row serves the SDK of
// every language. Rules read [Activity] facts and never see syntax.
//
// # Adding a language
//
//  1. Add its grammar to review/parse/cgo.go and the constant to doc.go there.
//  2. Write review/lang/<name>/: one [Language] value and its Lower function,
//     which turns parse.Node into [File]. Use the helpers of [Builder]. What
//     has no counterpart becomes OpOpaque with its parts, so no call is lost.
//  3. Fill the language's [SDK]: how activities are registered, how a body gets
//     its input, and what each accessor of the activity context returns.
//  4. Add rows for its libraries to review/knowledge.
//  5. Fill its column in review/langtest; every program there must give the
//     same facts as in the other languages.
//  6. Add the value to review/lang/all.go.
package review
