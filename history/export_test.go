package history

import "encoding/json"

// Split exposes the JSON splitters to the fuzzer.
func Split(b []byte) ([]json.RawMessage, map[string]json.RawMessage) {
	list, _ := elements(b)
	return list, object(b)
}

// Link exposes linking alone to the benchmark: pairing, turns, marks, chains.
func Link(run *Run) int {
	r := read(run)
	return len(r.link(r.attempts, false)) + len(r.link(r.children, true))
}
