package history

// Link exposes linking alone to the benchmark: pairing, turns, marks, chains.
func Link(run *Run) int {
	r := read(run)
	return len(r.link(r.attempts, false)) + len(r.link(r.children, true))
}
