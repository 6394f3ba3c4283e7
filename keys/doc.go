// Package keys answers "what key, then?" for one activity: it joins what is
// known of the SDKs and providers (review/knowledge), what a review of the body
// found (review) and what the recorded runs measure (history).
//
//	Measure  reads runs and counts what became of the task execution id
//	Choose   ranks the key sources, one key per side effect, one step name per call
//	Check    holds a provider's window against everything that can outlast it
//	Code     gives the snippet that shows it, from files that tests hold to their word
//
// Nothing here reads files, the network or a clock. Where a table and a
// measurement disagree both are told: neither is dropped.
package keys
