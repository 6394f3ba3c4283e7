package tools

import (
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// The functions here clean what an application wrote in values of package
// history, which keeps ids and names verbatim, on their way into an answer.

const longestName = 200

func cleanFinding(f *history.Finding) {
	f.App, f.Run, f.Location, f.RerunOf = shown(f.App), shown(f.Run), clean.Line(f.Location, 300), shown(f.RerunOf)
	f.Workflow, f.Message = shown(f.Workflow), clean.Line(f.Message, 600)
	f.Activity, f.Call = cleanPointer(f.Activity), cleanPointer(f.Call)
	cleanTurnCalls(f.Calls)
	cleanAttempts(f.Attempts)
	for i := range f.Children {
		c := &f.Children[i]
		c.Run, c.Error, c.Reading = shown(c.Run), clean.Line(c.Error, longestName), clean.Line(c.Reading, 400)
		cleanTurnCalls(c.Calls)
	}
	cleanEvidence(f.Evidence)
}

func cleanCall(c *history.CallView) {
	c.App, c.Run, c.Location = shown(c.App), shown(c.Run), clean.Line(c.Location, 300)
	c.Call, c.Activity = shown(c.Call), shown(c.Activity)
}

func cleanStory(s *history.Story) {
	s.App, s.Run, s.Call, s.Activity = shown(s.App), shown(s.Run), shown(s.Call), shown(s.Activity)
	s.OverlapWhy = clean.Line(s.OverlapWhy, 600)
	cleanAttempts(s.Attempts)
	cleanEvidence(s.Evidence)
}

func cleanTurnCalls(calls []history.TurnCall) {
	for i := range calls {
		c := &calls[i]
		c.Activity, c.Call, c.Reading, c.TaskExecutionID = shown(c.Activity), shown(c.Call), clean.Line(c.Reading, 400), cleanPointer(c.TaskExecutionID)
	}
}

func cleanAttempts(attempts []history.AttemptView) {
	for i := range attempts {
		a := &attempts[i]
		a.Error, a.ErrorType, a.TaskExecutionID = clean.Line(a.Error, longestName), clean.Line(a.ErrorType, 80), cleanPointer(a.TaskExecutionID)
	}
}

func cleanEvidence(evidence []history.Evidence) {
	for i := range evidence {
		evidence[i].Says = clean.Line(evidence[i].Says, 500)
	}
}

func cleanPointer(s *string) *string {
	if s == nil {
		return nil
	}
	c := shown(*s)
	return &c
}
