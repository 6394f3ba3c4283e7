package history

import (
	"fmt"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// findChildren reports child runs that were retried. What the earlier children
// ran is in their own histories: a Join fills it in. Blind spot: a child that
// kept its instance id, whose earlier history is overwritten.
func (c *collector) findChildren() {
	for i := range c.r.families {
		fam := &c.r.families[i]
		if len(fam.Attempts) < 2 || fam.Copy() {
			continue
		}
		f := Finding{
			Kind: ChildRetried, Certainty: linkCertainty(fam), Workflow: clean80(fam.Activity), LinkedBy: fam.LinkedBy(),
			Inputs: inputsText(fam.Inputs), Evidence: c.evidence(attemptEvents(fam.Attempts)...),
			Message: fmt.Sprintf("child run %s was started %d times by a retry", clean80(fam.Activity), len(fam.Attempts)),
			Meaning: "every activity that an earlier child ran may have run again in the next one; keys made of the child's own instance id or of execution ids do not protect across children",
			Settles: "the histories of the children, then the application's log or the provider's list",
		}
		for j := range fam.Attempts {
			f.Children = append(f.Children, c.childView(fam, j))
		}
		c.add(f)
	}
}

func (c *collector) childView(fam *Call, j int) ChildView {
	a := &fam.Attempts[j]
	s := c.ev(a.Scheduled)
	v := ChildView{Run: clean.Line(s.Instance, 0), EventID: s.ID, CreatedAt: timePtr(s.At)}
	switch last := j == len(fam.Attempts)-1; {
	case s.Instance == "":
		v.Reading = "this history does not name the child"
	case !last && c.ev(fam.Attempts[j+1].Scheduled).Instance == s.Instance:
		v.Reading = "the next child has the same instance id: this one's history is overwritten"
	case last:
		v.Reading = "the last child"
	default:
		v.Reading = "its history was not read here"
	}
	if a.Result < 0 {
		return v
	}
	res := c.ev(a.Result)
	if res.Kind == ChildCompleted {
		v.Result = strPtr("completed")
		return v
	}
	v.Result = strPtr("failed")
	o, _ := c.outcome(res.Failure)
	v.Outcome = &o
	if res.Failure != nil {
		v.Error = clean.Line(res.Failure.Message, maxQuote)
	}
	return v
}

// findRerun reports a run that re-executes another's calls: every call at or
// after the target, and the target's siblings that had not ended, marked or
// not.
func (c *collector) findRerun() {
	info := c.r.rerun
	if !info.is {
		return
	}
	f := Finding{
		Kind: Rerun, Certainty: Recorded, RerunOf: clean.Line(info.of, 0), LinkedBy: []LinkRule{LinkRerun},
		Meaning: "these calls ran in the source run too, as far as it got: their effects were applied again unless something outside refused them",
		Settles: "the source run's history, then the application's log or the provider's list",
	}
	if info.target < 0 {
		f.Certainty, f.LinkedBy = Inferred, nil
		f.Message = fmt.Sprintf("the history names another run, %s, as its own: this is a rerun, and no event tells from where it ran again", f.RerunOf)
		f.Evidence = c.evidence(c.firstOf(ExecutionStarted))
		f.Meaning = "some calls of the source ran again; which ones this history does not say"
		c.add(f)
		return
	}
	f.Target = &c.ev(info.target).ID
	f.Evidence = c.evidence(c.firstOf(ExecutionStarted), info.target)
	c.r.each(func(call *Call, a *Attempt) {
		if a.Copy {
			return
		}
		reading := "scheduled after the target"
		switch {
		case a.Scheduled == info.target:
			reading = "the target, with the source's execution id"
		case c.ev(a.Scheduled).At.Before(info.at):
			reading = "a sibling of the target that had no result: ran again, nothing marks it"
		}
		f.Calls = append(f.Calls, c.turnCall(call, a, reading))
	})
	f.Message = fmt.Sprintf("rerun of %s from event %d: %s ran again", f.RerunOf, *f.Target, count(len(f.Calls), "attempt"))
	c.add(f)
}

func (c *collector) firstOf(k Kind) int {
	for i := range c.r.ev {
		if c.r.ev[i].Kind == k {
			return i
		}
	}
	return -1
}

func clean80(s string) string { return clean.Line(s, 80) }

// count writes "1 call", "3 calls".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
