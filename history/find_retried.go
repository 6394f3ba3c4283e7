package history

import (
	"fmt"
	"strings"
)

// findRetried reports calls with more than one recorded attempt. Recorded when
// an id or a timer's origin links them, inferred when a pattern does. Blind
// spot: an attempt that was dispatched again under the same schedule.
func (c *collector) findRetried() {
	for i := range c.r.calls {
		call := &c.r.calls[i]
		if n := len(call.Attempts); n < 2 || call.Copy() {
			continue
		}
		kind := Retried
		worst := c.worstEarlier(call)
		switch worst {
		case Unknown:
			kind = RetriedUnknownOutcome
		case Rejected:
			kind = RejectionRetried
		}
		f := Finding{
			Kind: kind, Certainty: linkCertainty(call), Activity: &call.Activity, Call: &call.Key,
			Attempts: c.attemptViews(call), LinkedBy: call.LinkedBy(), Inputs: inputsText(call.Inputs),
			Evidence: c.evidence(c.retryEvents(call)...),
		}
		f.Message = fmt.Sprintf("%s has %d recorded attempts%s", clean80(call.Activity), len(call.Attempts), c.linkNote(call))
		f.Meaning, f.Settles = c.retryMeaning(call, kind)
		c.add(f)
	}
}

// retryEvents lists a call's attempts with the timers between them.
func (c *collector) retryEvents(call *Call) []int {
	var out []int
	for i := range call.Attempts {
		a := &call.Attempts[i]
		out = append(out, a.Timer, a.Scheduled, a.Result)
	}
	return out
}

// worstEarlier is the worst outcome of the attempts that another one followed:
// unknown, else rejected, else what is left. An attempt without a result is
// unknown.
func (c *collector) worstEarlier(call *Call) Outcome {
	worst := NotApplied
	for i := range call.Attempts[:len(call.Attempts)-1] {
		a := &call.Attempts[i]
		o := Unknown
		if a.Result >= 0 {
			o, _ = c.outcome(c.ev(a.Result).Failure)
		}
		switch {
		case o == Unknown:
			return Unknown
		case o == Rejected || o == Unclear && worst != Rejected:
			worst = o
		}
	}
	return worst
}

func linkCertainty(call *Call) Certainty {
	for _, l := range call.LinkedBy() {
		if l.inferred() {
			return Inferred
		}
	}
	return Recorded
}

func inputsText(e Equality) string {
	switch e {
	case Equal:
		return "same"
	case Different:
		return "different"
	}
	return "not compared"
}

func (c *collector) linkNote(call *Call) string {
	var notes []string
	for _, l := range call.LinkedBy() {
		switch l {
		case LinkTimerInferred:
			notes = append(notes, "linked by pattern (failure, timer in the same turn, same call when it fired); this history records no timer origins, so a loop written by hand looks the same")
		case LinkHandLoop:
			notes = append(notes, "a retry loop written in the workflow's own code")
		}
	}
	for i := range call.Attempts {
		if call.Attempts[i].Ambiguous {
			notes = append(notes, "identical calls were retried at the same time, so which attempt belongs to which call is one of several pairings")
			break
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return ": " + strings.Join(notes, "; ")
}

// retryMeaning says what the earlier failures mean for the outside world.
func (c *collector) retryMeaning(call *Call, kind FindingKind) (meaning, settles string) {
	switch kind {
	case RetriedUnknownOutcome:
		meaning = "an earlier attempt failed in a way that does not tell whether its effect was applied; if it was, the later attempt applied it again"
	case RejectionRetried:
		meaning = "an earlier attempt was refused for good; repeating it could not succeed and only used up the retry budget"
	default:
		switch {
		case c.neverRan(call):
			meaning = "no worker had this activity registered: attempts are recorded, and no body ran for them"
		case c.worstEarlier(call) == NotApplied:
			meaning = "the earlier failures say that the call never got through; a second effect is not indicated, as far as those words can be believed"
		default:
			meaning = "the words of the earlier failures do not tell whether the effect was applied before them"
		}
	}
	if kind != RejectionRetried {
		settles = "the application's log with the key in it, or the provider's list for that key"
	}
	return meaning, settles
}

// neverRan reports whether every failed attempt failed because no worker knows
// the activity: a recorded attempt is not proof that a body ran.
func (c *collector) neverRan(call *Call) bool {
	for i := range call.Attempts {
		a := &call.Attempts[i]
		if !c.r.failed(a) {
			return false
		}
		if _, from := c.outcome(c.ev(a.Result).Failure); !strings.Contains(from, "registered") {
			return false
		}
	}
	return true
}

// findPending reports a retry timer that is set and has not fired in a run that
// has not ended: a further attempt fires at a known time. Inferred where only
// the timer's name says what it is for.
func (c *collector) findPending() {
	if c.r.ended {
		return
	}
	var open []int
	for _, t := range c.r.timers {
		if _, fired := c.r.fired[c.ev(t).ID]; !fired {
			open = append(open, t)
		}
	}
	for i := range c.r.calls {
		call := &c.r.calls[i]
		last := &call.Attempts[len(call.Attempts)-1]
		if !c.r.failed(last) || last.Copy {
			continue
		}
		t, certainty := c.pendingTimer(open, call, last)
		if t < 0 {
			continue
		}
		f := Finding{
			Kind: RetryPending, Certainty: certainty, Activity: &call.Activity, Call: &call.Key, Attempts: c.attemptViews(call),
			LinkedBy: call.LinkedBy(), FiresAt: timePtr(c.ev(t).FireAt), Evidence: c.evidence(last.Scheduled, last.Result, t),
			Message: fmt.Sprintf("%s failed and a retry timer is set; attempt %d is still to come", clean80(call.Activity), len(call.Attempts)+1),
		}
		if f.FiresAt != nil {
			f.Message = fmt.Sprintf("%s failed; attempt %d fires at %s", clean80(call.Activity), len(call.Attempts)+1, f.FiresAt.Format("2006-01-02 15:04:05Z07:00"))
		}
		o, _ := c.outcome(c.ev(last.Result).Failure)
		switch o {
		case Unknown:
			f.Meaning = "the last failure does not tell whether the effect was applied; the coming attempt may apply it again"
		case Rejected:
			f.Meaning = "the last failure was a refusal for good; the coming attempt cannot succeed"
		default:
			f.Meaning = "the activity will run again"
		}
		c.add(f)
	}
}

func (c *collector) pendingTimer(open []int, call *Call, last *Attempt) (int, Certainty) {
	for _, t := range open {
		ev := c.ev(t)
		if t < last.Scheduled && last.Result > last.Scheduled {
			continue // set before this attempt, so for an earlier one
		}
		switch ev.Origin.Kind {
		case OriginActivityRetry:
			for i := range call.Attempts {
				if c.r.hasID(&call.Attempts[i], ev.Origin.Ref) {
					return t, Recorded
				}
			}
		case OriginUnknown:
			if ev.Name == call.Activity+"-retry" && c.r.turn[t] >= last.ResultTurn && last.ResultTurn >= 0 {
				return t, Inferred
			}
		}
	}
	return -1, Recorded
}

// findSecondResults reports two results for one schedule. Runtimes since 1.17.7
// drop the second without a trace.
func (c *collector) findSecondResults() {
	c.r.each(func(call *Call, a *Attempt) {
		if len(a.Extra) == 0 || a.Copy {
			return
		}
		c.add(Finding{
			Kind: SecondResult, Certainty: Recorded, Activity: &call.Activity, Call: &call.Key, Attempts: []AttemptView{c.attemptView(a)},
			Evidence: c.evidence(append([]int{a.Scheduled, a.Result}, a.Extra...)...),
			Message:  fmt.Sprintf("%s has %d results for one schedule", clean80(call.Activity), 1+len(a.Extra)),
			Meaning:  "the body ended more than once; the workflow used the first result",
		})
	})
}
