package review_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// apart is a repository whose activities hang together over files that, read alone,
// tell nothing of workflows: parents, parts, interfaces, handlers, wrappers, keys of
// a data model, subscribers, constants, exports that are handed on.
var apart = fstest.MapFS{
	"cs/ChargeStep.cs": text(`namespace Shop;
public class ChargeStep : PaymentStep
{
    public override async Task<string> RunAsync(WorkContext ctx, string id)
    {
        await http.PostAsJsonAsync("https://pay.example.com/charges", new { id });
        return id;
    }
}`),
	"cs/PaymentStep.cs": text(`using Dapr.Workflow;
namespace Shop;
public abstract class PaymentStep : WorkflowActivity<string, string>
{
    protected HttpClient http = new();
}`),
	"cs/Book.Part.cs": text(`namespace Shop;
public partial class Book
{
    private async Task Store(string id) => await db.ExecuteAsync("INSERT INTO bookings (id) VALUES (@id)", new { id });
}`),
	"cs/Book.cs": text(`using Dapr.Workflow;
namespace Shop;
public partial class Book : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext ctx, string id) { await Store(id); return true; }
}`),
	"cs/PaymentsController.cs": text(`[Route("api/[controller]")]
public class PaymentsController
{
    [HttpPost("take")]
    public async Task Take(string id) { await db.ExecuteAsync("INSERT INTO taken (id) VALUES (@id) ON CONFLICT (id) DO NOTHING", new { id }); }
}`),
	"cs/Take.cs": text(`using Dapr.Workflow;
public class Take : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext ctx, string id) { await http.PostAsync($"http://pay/api/Payments/take", Body(id)); return true; }
}`),
	"cs/RefundsController.cs": text(`[Route("api/[controller]")]
public class RefundsController
{
    [HttpPost]
    public async Task Store(string id) { await db.ExecuteAsync("INSERT INTO given_back (id) VALUES (@id) ON CONFLICT (id) DO NOTHING", new { id }); }
}`),
	"cs/GiveBack.cs": text(`using Dapr.Workflow;
public class GiveBack : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext ctx, string id) { await http.PostAsync($"http://pay/api/refunds", Body(id)); return true; }
}`),
	"java/Charges.java": text(`package shop;
@io.temporal.activity.ActivityInterface
public interface Charges { String charge(String id); }`),
	"java/ChargesImpl.java": text(`package shop;
public class ChargesImpl implements Charges {
  private final Gateway gateway;
  public String charge(String id) { return gateway.send(id); }
}`),
	"java/Gateway.java": text(`package shop;
class Gateway {
  String send(String id) { return rest.postForObject("https://pay.example.com/charges", id, String.class); }
}`),
	"java/Flow.java": text(`package shop;
class Flow {
  private final Charges charges;
  void order(String id) { for (int i = 0; i < 3; i++) { charges.charge(id); } }
}`),
	"go/worker.go": text(`package shop
import "go.temporal.io/sdk/worker"
func start(w worker.Worker) { w.RegisterActivity(&Mailer{}) }`),
	"go/mailer.go": text(`package shop
type (
	Mailer struct{ client *smtpClient }
	smtpClient struct{}
)`),
	"go/send.go": text(`package shop
import ("context"; "net/smtp")
func (m *Mailer) Welcome(ctx context.Context, to string) error { return deliver(to) }
func deliver(to string) error { return smtp.SendMail("mail:25", nil, "us@example.com", []string{to}, []byte("hello")) }`),
	"go/stock/stock.go": text(`package stock
import "context"
type Store interface {
	Open(ctx context.Context) error
	Take(ctx context.Context, sku string) error
	Recount(ctx context.Context) error
}`),
	"go/stock/db/recount.go": text(`package db
import "context"
func (s *pool) Recount(ctx context.Context) error { return nil }`),
	"go/stock/traced.go": text(`package stock
import ("context"; "log")
type traced struct{ in Store }
func (t *traced) Open(ctx context.Context) error { log.Print("open"); return nil }
func (t *traced) Recount(ctx context.Context) error { return nil }
func (t *traced) Take(ctx context.Context, sku string) error { log.Print("take", sku); return nil }`),
	"go/stock/db/open.go": text(`package db
import ("context"; "database/sql")
type pool struct{ db *sql.DB }
func (s *pool) Open(ctx context.Context) error { return s.db.PingContext(ctx) }`),
	"go/stock/db/take.go": text(`package db
import "context"
func (s *pool) Take(ctx context.Context, sku string) error {
	_, err := s.db.ExecContext(ctx, "UPDATE stock SET left = left - 1 WHERE sku = $1", sku)
	return err
}`),
	"go/stock/act/act.go": text(`package act
import ("context"; "shop/stock"; "go.temporal.io/sdk/worker")
type Stock struct{ store stock.Store }
func (s *Stock) TakeOne(ctx context.Context, sku string) error { return s.store.Take(ctx, sku) }
func Start(w worker.Worker) { w.RegisterActivity(&Stock{}) }`),
	"ts/worker.ts": text(`import { Worker } from '@temporalio/worker';
import * as activities from './activities';
export const run = () => Worker.create({ activities, taskQueue: 'q' });`),
	"ts/activities/index.ts": text(`export * from './charge';
export { notify } from './notify';`),
	"ts/activities/charge.ts": text(`import { pay } from '../lib/pay';
export async function charge(id: string) { return pay(id); }`),
	"ts/activities/notify.ts": text(`export const notify = async (to: string) => { await fetch('https://sms.example.com/send', { method: 'POST', body: to }); };`),
	"ts/lib/pay.ts": text(`import axios from 'axios';
export const pay = (id: string) => axios.post('https://pay.example.com/charges', { id });`),
	"ts/flow.ts": text(`import { proxyActivities } from '@temporalio/workflow';
import type * as acts from './activities';
const { charge } = proxyActivities<typeof acts>({ startToCloseTimeout: '1m' });
export async function order(id: string) { return charge(id); }`),
	"py/steps.py": text(`from dapr.ext.workflow import WorkflowRuntime
from lib.store import keep
wfr = WorkflowRuntime()
@wfr.activity(name="keep_order")
def keep_order(ctx, order):
    keep(order)
`),
	"py/lib/store.py": text(`import sqlite3
def keep(order):
    sqlite3.connect("x").execute("INSERT INTO orders (id) VALUES (?)", (order["id"],))
`),
	"py/lib/unused.py":        text("def f():\n    pass\n"),
	"fn/Charge/function.json": text(`{"bindings":[{"type":"activityTrigger","name":"id"}]}`),
	"fn/Charge/index.js":      text(`module.exports = async function (context, id) { await fetch('https://pay.example.com/charges', { method: 'POST', body: id }); };`),
	"quiet.py":                text("def quiet():\n    x = 1  # idem:ignore IDEM001 nothing is here\n"),
}

// TestFirst: a review that parses only what tells finds what one finds that parses
// everything.
func TestFirst(t *testing.T) {
	for name, files := range map[string]fs.FS{"apart": apart, "corpus": os.DirFS("testdata/corpus"), "examples": os.DirFS("rules")} {
		t.Run(name, func(t *testing.T) {
			c := review.Config{Files: files, Languages: lang.All(), Rules: rules.All()}
			some, err := review.Selective(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			all, err := review.Review(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if name == "apart" && len(some.NotVisible) != len(all.NotVisible)+1 {
				t.Errorf("not visible: %q: what was not parsed is not told", some.NotVisible)
			}
			some.NotVisible = all.NotVisible
			if len(all.Activities) < 8 {
				t.Errorf("%d activities: too few to compare", len(all.Activities))
			}
			if diff := cmp.Diff(indented(t, all), indented(t, some)); diff != "" {
				t.Errorf("everything parsed (-), what tells parsed (+):\n%s", diff)
			}
		})
	}
}

func indented(t *testing.T, v any) []string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")
}

// TestApart holds the repository above to what it is for: each activity is found,
// and its effect with it.
func TestApart(t *testing.T) {
	res, err := review.Selective(t.Context(), review.Config{Files: apart, Languages: lang.All(), Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, a := range res.Activities {
		got[a.Name] = string(a.Verdict)
	}
	want := map[string]string{"ChargeStep": "hazard", "Book": "hazard", "Take": "safe", "GiveBack": "safe", "charge": "hazard", "Welcome": "hazard", "TakeOne": "hazard", "notify": "hazard", "keep_order": "hazard", "Charge": "hazard"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if res.Files != len(apart)-1 {
		t.Errorf("%d files were read", res.Files)
	}
	if len(res.Suppressions) != 1 {
		t.Errorf("suppressions %v: the comment in a file without an activity is told", res.Suppressions)
	}
}

// TestTellersAreWords: a pattern among the names of marks and registrations would be
// looked for as it is written.
func TestTellersAreWords(t *testing.T) {
	for _, m := range knowledge.Marks() {
		if strings.Contains(m.Name, "*") {
			t.Errorf("mark %q is no word", m.Name)
		}
	}
	for _, r := range knowledge.Registers() {
		if strings.Contains(r.Name, "*") {
			t.Errorf("registration %q is no word", r.Name)
		}
	}
}
