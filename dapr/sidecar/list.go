package sidecar

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/dapr/durabletask-go/api/protos"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// A page of ids is held at a time; the states of a page's runs are asked for by
// a few goroutines at once.
const (
	pageSize = 200
	parallel = 8
)

// Runs implements history.Source: in the order the sidecar lists them. The
// cursor is an instance id; the listing goes on after it.
func (s *Source) Runs(ctx context.Context, f history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		app := s.appID(ctx)
		if f.App != "" && app != "" && f.App != app {
			return
		}
		skipping := f.Cursor != ""
		for ids, err := range s.pages(ctx) {
			if err != nil {
				yield(history.Header{}, err)
				return
			}
			if skipping {
				if ids, skipping = after(ids, f.Cursor); skipping {
					continue
				}
			}
			for _, r := range s.states(ctx, ids, app) {
				if r.err == nil {
					r.err = ctx.Err()
				}
				if r.err == nil && (r.gone || !f.Match(r.header)) {
					continue
				}
				if !yield(r.header, r.err) || (r.err != nil && !isSkipped(r.err)) {
					return
				}
			}
		}
		if skipping {
			yield(history.Header{}, &fault.Error{
				Kind: fault.BadInput, What: "cursor " + clean.Line(f.Cursor, 200) + " names no run of this sidecar",
				Means: "the run was purged since, so where to go on is not known", Do: "List from the start",
			})
		}
	}
}

func isSkipped(err error) bool {
	var skipped *history.Skipped
	return errors.As(err, &skipped)
}

// after cuts ids behind cursor; still is true when cursor is not among them.
func after(ids []string, cursor string) (rest []string, still bool) {
	for i, id := range ids {
		if id == cursor {
			return ids[i+1:], false
		}
	}
	return nil, true
}

// pages iterates over the pages of instance ids.
func (s *Source) pages(ctx context.Context) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		var token *string
		for {
			page, err := s.page(ctx, token, pageSize)
			if err != nil {
				yield(nil, s.explain(ctx, "list runs", err))
				return
			}
			if !yield(page.GetInstanceIds(), nil) {
				return
			}
			next := page.ContinuationToken
			if next == nil || *next == "" {
				return
			}
			if token != nil && *next == *token {
				yield(nil, &fault.Error{Kind: fault.Damaged, What: "list runs", Means: "the sidecar gave the same continuation token twice; the rest was not listed"})
				return
			}
			token = next
		}
	}
}

type result struct {
	header history.Header
	gone   bool // purged since it was listed
	err    error
}

// states asks for the states of a page's runs, a few at a time, in order. A run
// that alone cannot be read is skipped; any other failure is the last result.
func (s *Source) states(ctx context.Context, ids []string, app string) []result {
	out := make([]result, len(ids))
	var g errgroup.Group
	g.SetLimit(parallel)
	for i, id := range ids {
		g.Go(func() error {
			out[i] = s.state(ctx, id, app)
			if out[i].err != nil && !isSkipped(out[i].err) {
				return out[i].err
			}
			return nil
		})
		if ctx.Err() != nil {
			break
		}
	}
	if err := g.Wait(); err != nil || ctx.Err() != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		for i, r := range out {
			if r.err != nil && !isSkipped(r.err) {
				return append(out[:i:i], result{err: r.err})
			}
			if r.header.Ref.Instance == "" && !r.gone && r.err == nil {
				return append(out[:i:i], result{err: err})
			}
		}
	}
	return out
}

func (s *Source) state(ctx context.Context, id, app string) result {
	state, err := s.instance(ctx, id, false)
	if err != nil {
		err = s.explain(ctx, "read the state of run "+clean.Line(id, 200), err)
		if k := fault.KindOf(err); k == fault.Unknown && ctx.Err() == nil || k == fault.TooLarge {
			err = &history.Skipped{What: clean.Line(id, 200), Why: err.Error()}
		}
		return result{err: err}
	}
	if state == nil {
		return result{gone: true}
	}
	h := s.header(state, app)
	h.Ref.Instance = id
	return result{header: h}
}

// header is a run's state as the sidecar tells it.
func (s *Source) header(w *protos.WorkflowState, app string) history.Header {
	return history.Header{
		Ref:          history.Ref{App: app, Instance: w.GetInstanceId(), Execution: w.GetExecutionId().GetValue()},
		Workflow:     w.GetName(),
		Version:      w.GetVersion().GetValue(),
		Status:       statusOf(w.GetWorkflowStatus()),
		Created:      at(w.GetCreatedTimestamp()),
		Updated:      at(w.GetLastUpdatedTimestamp()),
		Parent:       w.GetParentInstanceId().GetValue(),
		HistoryLen:   -1,
		CustomStatus: s.payload(w.GetCustomStatus()),
		Failure:      failure(w.GetFailureDetails()),
	}
}

// payload is a custom status; a sidecar leaves it out both when it is empty and
// when it was not asked for, so an absent one is not recorded.
func (s *Source) payload(v *wrapperspb.StringValue) history.Payload {
	switch {
	case v == nil:
		return history.Payload{}
	case s.options.Sharing.Level != history.LevelFull:
		return history.WithheldPayload(&s.options.Sharing)
	case v.GetValue() == "":
		return history.EmptyPayload()
	}
	return history.SharedPayload(v.GetValue())
}

func failure(d *protos.TaskFailureDetails) *history.Failure {
	if d == nil {
		return nil
	}
	return &history.Failure{
		Type: d.GetErrorType(), Message: d.GetErrorMessage(), Stack: d.GetStackTrace().GetValue(),
		NonRetriable: d.GetIsNonRetriable(), Inner: failure(d.GetInnerFailure()),
	}
}

func at(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}

func statusOf(s protos.OrchestrationStatus) history.Status {
	switch s {
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_RUNNING:
		return history.Running
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_COMPLETED:
		return history.Completed
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_CONTINUED_AS_NEW:
		return history.ContinuedAsNew
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_FAILED:
		return history.Failed
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_CANCELED:
		return history.Canceled
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_TERMINATED:
		return history.Terminated
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_PENDING:
		return history.Pending
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_SUSPENDED:
		return history.Suspended
	case protos.OrchestrationStatus_ORCHESTRATION_STATUS_STALLED:
		return history.Stalled
	}
	return history.StatusUnknown
}
