// Package review reads the code of workflow activities and answers one
// question for each: if this body runs twice with the same input, is the
// outside world the same as after one run?
//
// # How it works
//
//	source text
//	  → parse         one flat syntax tree (review/parse, the only tree-sitter)
//	  → Language.Lower  the common form of ir.go (review/lang/<language>)
//	  → repo          who is defined where; a file is lowered when it is asked
//	                  for, or when a name is looked up that its text contains
//	                  (first.go: what is lowered ahead, and how names are found)
//	  → roster        which functions are activities, which workflow calls them
//	  → tracer        one walk of a body, following calls into the repository:
//	                  every value carries its origin, every outside call becomes
//	                  an Effect with key, guard, conditions and path
//	  → rules         read the facts of one activity and report findings
//	  → Result        verdict: hazard if a finding is one, else verify, else safe
//
// Only lowering is written per language. What a library call does is a row of a
// table in review/knowledge; names are compared in normal form (knowledge.Norm:
// no case, underscores, trailing "async"), so that one row serves the SDKs of
// every language. Rules read [Activity] facts and never see syntax.
//
// # The walk
//
// A call is explained by the first of these that can (call.go): the activity's
// context; a catalogue row that matches by library or by the receiver's type; a
// function of this repository, which is walked (follow.go); a row that matches
// by the receiver's name only; the name itself (unknown.go: a collection
// method, a getter or setter, a key handed to a builder, a guess).
//
// A [Value] says where something comes from ([Origin]), which outside reads it
// depends on (Reads), from which of them it was computed by arithmetic (Rel:
// writing it back is read-modify-write), whose answer it is (From: testing it
// is testing that call), and whether it names state that outlives the body
// (Shared) or an object nobody else sees (Local). Variables set in a branch hold
// either value; loops are walked once; handlers after their body. After "if x
// { return }" everything stands behind the condition x ([Cond] with Exit): that
// is how claims and checks are found.
//
// special.go and detail.go turn the classes that depend on arguments (http, sql,
// mongo, entity, binding …) into plain ones; route.go follows a request to its
// handler when the repository has it. handed.go reads calls
// whose effect is that of what they are handed: a file, a queue, an entity.
//
// # Adding a rule
//
//  1. go run ./review/rules/new -slug some-fault writes the folder with the next
//     id and enters it in rules/all.go (go generate ./review/rules does so too).
//  2. Write the package comment of rule.go under its four headings: it is the
//     documentation. Write the check over the facts of [Activity], or of
//     [Workflow] with Workflow: true.
//  3. Write testdata/bad and good in every language, or the reason in none.md.
//     A line to be reported says want "text"; the part between [doc] and [/doc]
//     is the example people see. go test ./review/rules holds all of it.
//  4. Add labelled activities to testdata/corpus: positives and look-alikes. A
//     label is the comment "corpus: hazard kind,kind tricky" before the activity;
//     go test -v -run Corpus ./review prints the figures ([Evaluate]).
//
// # Adding a language
//
//  1. Add its grammar to review/parse/cgo.go and the constant to doc.go there
//     (all six are there).
//  2. Write review/lang/<name>/: one Language() value and its lower function,
//     which turns parse.Node into [File]; lang/python and lang/golang are the
//     models, split in statements and expressions. What has no counterpart
//     becomes OpOpaque with its parts as Args, so that no call is lost.
//  3. Conventions the walk relies on: every named function and method is in
//     File.Funcs with Owner, Receiver ("self", "this"), Exported and lines;
//     nested ones have Parent and a Define statement; statements outside
//     functions are File.Top.Body; a declaration has Stmt.Type, "var" when it is
//     inferred; compound assignment has the operator without "=" in Stmt.Name;
//     "global x" is a Let named global; throw is Throw, a re-raise Throw without
//     Value; || && ?? are OpBinary under these names, "not" is OpUnary "!";
//     interpolation is OpTemplate; object and struct literals are OpObject with
//     the type in Name; new T() is OpCall with New and X naming T; nameof(X),
//     typeof(X), X.class are OpType; await is OpAwait, a cast OpCast; annotations
//     and attributes are OpCall or OpName expressions on Func, Type, Param,
//     Field; constructor parameters that become fields are Fields; expression
//     bodies are one Return; using and try-with-resources are With.
//  4. Set Language.Module so that imports find files of the repository.
//  5. How SDKs declare, register and schedule activities are tables in
//     review/knowledge/register.go, accessors of the activity's context and
//     libraries rows in rows*.go: add what is missing there.
//  6. Fill the language's section in every program of
//     review/langtest/testdata; equal programs must give equal facts.
//  7. Add the value to review/lang/all.go.
package review
