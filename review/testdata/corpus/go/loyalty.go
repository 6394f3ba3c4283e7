package shop

import (
	"context"
	"database/sql"

	"example.com/partner/sdk"
	"example.com/voucher"
	"github.com/dapr/durabletask-go/workflow"
	dapr "github.com/dapr/go-sdk/client"
	"github.com/dapr/go-sdk/service/common"
)

// Loyalty is a loyalty programme: vouchers, points, partners.
type Loyalty struct {
	db            *sql.DB
	dapr          dapr.Client
	voucherClient *voucher.Client
	partnerClient *sdk.Client
}

type Purchase struct {
	ID, Member, Email, Voucher, Code string
	Points                           int64
}

func (l *Loyalty) Register(r *workflow.Registry) {
	r.AddWorkflow(JoinProgramme)
	r.AddWorkflow(IssueCard)
	r.AddWorkflow(JoinByKey)
	r.AddWorkflow(IssueByKey)
	r.AddActivity(l.OrderCard)
	r.AddActivity(l.OrderByKey)
	r.AddActivity(l.UseVoucher)
	r.AddActivity(l.UseVoucherOnce)
	r.AddActivity(l.LinkAccount)
	r.AddActivity(l.ConvertPoints)
	r.AddActivity(l.VoucherState)
	r.AddActivity(l.EnrollMember)
	r.AddActivity(l.EnrollMemberOnce)
	r.AddActivity(l.FindMember)
	r.AddActivity(l.AnnouncePurchase)
	r.AddActivity(l.AnnounceMember)
}

func JoinProgramme(ctx *workflow.WorkflowContext) (any, error) {
	patient := &workflow.RetryPolicy{MaxAttempts: 4}
	return nil, ctx.CallChildWorkflow("IssueCard", workflow.WithChildWorkflowRetryPolicy(patient)).Await(nil)
}

func IssueCard(ctx *workflow.WorkflowContext) (any, error) {
	return nil, ctx.CallActivity("OrderCard", workflow.WithActivityInput(ctx.ID())).Await(nil)
}

func JoinByKey(ctx *workflow.WorkflowContext) (any, error) {
	var p Purchase
	if err := ctx.GetInput(&p); err != nil {
		return nil, err
	}
	patient := &workflow.RetryPolicy{MaxAttempts: 4}
	return nil, ctx.CallChildWorkflow("IssueByKey", workflow.WithChildWorkflowInput(p.Member), workflow.WithChildWorkflowRetryPolicy(patient)).Await(nil)
}

func IssueByKey(ctx *workflow.WorkflowContext) (any, error) {
	var member string
	if err := ctx.GetInput(&member); err != nil {
		return nil, err
	}
	return nil, ctx.CallActivity("OrderByKey", workflow.WithActivityInput(member)).Await(nil)
}

func purchase(ctx workflow.ActivityContext) (Purchase, error) {
	var p Purchase
	err := ctx.GetInput(&p)
	return p, err
}

// corpus: hazard child_instance_key tricky
func (l *Loyalty) OrderCard(ctx workflow.ActivityContext) (any, error) {
	var key string
	if err := ctx.GetInput(&key); err != nil {
		return nil, err
	}
	return l.partnerClient.OrderCard(ctx.Context(), sdk.CardOrder{IdempotencyKey: key})
}

// corpus: safe tricky
func (l *Loyalty) OrderByKey(ctx workflow.ActivityContext) (any, error) {
	var member string
	if err := ctx.GetInput(&member); err != nil {
		return nil, err
	}
	return l.partnerClient.OrderCard(ctx.Context(), sdk.CardOrder{IdempotencyKey: member})
}

// corpus: hazard token_spent
func (l *Loyalty) UseVoucher(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.voucherClient.Redeem(ctx.Context(), p.Voucher)
}

// corpus: safe
func (l *Loyalty) UseVoucherOnce(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.voucherClient.Redeem(ctx.Context(), voucher.Request{Code: p.Voucher, IdempotencyKey: p.ID})
}

// corpus: hazard token_spent tricky
func (l *Loyalty) LinkAccount(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	grant, err := l.partnerClient.Exchange(ctx.Context(), p.Code)
	if err != nil {
		return nil, err
	}
	return nil, l.dapr.SaveState(ctx.Context(), "grants", p.Member, []byte(grant.RefreshToken), nil)
}

// corpus: safe tricky
func (l *Loyalty) ConvertPoints(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	rate, err := l.partnerClient.GetExchangeRate(ctx.Context(), "EUR")
	if err != nil {
		return nil, err
	}
	return p.Points * rate, nil
}

// corpus: safe tricky
func (l *Loyalty) VoucherState(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.voucherClient.IsRedeemed(ctx.Context(), p.Voucher)
}

// corpus: verify unknown_callee
func (l *Loyalty) EnrollMember(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.partnerClient.Enroll(ctx.Context(), p.Email)
}

// corpus: safe tricky
func (l *Loyalty) EnrollMemberOnce(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.partnerClient.Enroll(ctx.Context(), sdk.Enrollment{Email: p.Email, RequestID: p.ID})
}

// corpus: safe
func (l *Loyalty) FindMember(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return l.partnerClient.FindMember(ctx.Context(), p.Email)
}

// corpus: safe repeating_consumer tricky
func (l *Loyalty) AnnouncePurchase(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return nil, l.dapr.PublishEvent(ctx.Context(), "pubsub", "purchases", p, dapr.PublishEventWithMetadata(map[string]string{"cloudevent.id": p.ID}))
}

// corpus: safe
func (l *Loyalty) AnnounceMember(ctx workflow.ActivityContext) (any, error) {
	p, err := purchase(ctx)
	if err != nil {
		return nil, err
	}
	return nil, l.dapr.PublishEvent(ctx.Context(), "pubsub", "members", p, dapr.PublishEventWithMetadata(map[string]string{"cloudevent.id": p.Member}))
}

// Listen takes the programme's events.
func (l *Loyalty) Listen(s common.Service) error {
	if err := s.AddTopicEventHandler(&common.Subscription{PubsubName: "pubsub", Topic: "purchases"}, l.onPurchase); err != nil {
		return err
	}
	return s.AddTopicEventHandler(&common.Subscription{PubsubName: "pubsub", Topic: "members"}, l.onMember)
}

func (l *Loyalty) onPurchase(ctx context.Context, e *common.TopicEvent) (bool, error) {
	_, err := l.db.ExecContext(ctx, "UPDATE points SET total = total + 10 WHERE member = $1", e.Subject)
	return err != nil, err
}

func (l *Loyalty) onMember(ctx context.Context, e *common.TopicEvent) (bool, error) {
	_, err := l.db.ExecContext(ctx, "INSERT INTO members (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", e.ID)
	return err != nil, err
}
