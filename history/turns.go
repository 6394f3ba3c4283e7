package history

// turnsOf gives every event the number of the turn it belongs to, from 0. A
// turn is one run of the workflow's code: its start, the events it consumed and
// the actions it took. -1 everywhere when the shape records no turn starts.
//
// In stored order a turn's start stands before the events it consumed. Where
// events were sorted by time, the consumed ones (older than the start) stand
// before it and belong to the start that follows.
func turnsOf(r *Run) []int32 {
	turns := make([]int32, len(r.Events))
	starts := int32(0)
	for i := range r.Events {
		ev := &r.Events[i]
		if ev.Kind == WorkflowStarted {
			starts++
		}
		turns[i] = max(starts-1, 0)
		if !r.Carries.StoredOrder && ev.Kind.Inbox() && ev.Kind != ExecutionStarted {
			turns[i] = starts
		}
	}
	if starts == 0 {
		for i := range turns {
			turns[i] = -1
		}
	}
	return turns
}
