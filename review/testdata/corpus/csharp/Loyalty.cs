// A loyalty programme: vouchers, points, partners.
using Dapper;
using Dapr;
using Dapr.Client;
using Dapr.Workflow;
using Microsoft.AspNetCore.Mvc;
using Npgsql;
using Partner.Sdk;
using Voucher.Sdk;

namespace Loyalty;

public record Purchase(string Id, string Member, string Email, string Voucher, string Code, int Points);

public record CardOrder(string Member, string Key);

public class JoinProgramme : Workflow<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Purchase purchase)
    {
        var patient = new WorkflowRetryPolicy(maxNumberOfAttempts: 4, firstRetryInterval: TimeSpan.FromSeconds(5));
        return await context.CallChildWorkflowAsync<string>(nameof(IssueCard), purchase.Member, new ChildWorkflowTaskOptions(RetryPolicy: patient));
    }
}

public class IssueCard : Workflow<string, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, string member)
    {
        await context.CallActivityAsync<string>(nameof(OrderByKey), member);
        return await context.CallActivityAsync<string>(nameof(OrderCard), context.InstanceId);
    }
}

// corpus: hazard child_instance_key tricky
public class OrderCard(PartnerClient partnerClient) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string key)
    {
        var card = await partnerClient.OrderCardAsync(new PartnerOrder { IdempotencyKey = key });
        return card.Number;
    }
}

// corpus: safe tricky
public class OrderByKey(PartnerClient partnerClient) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string member)
    {
        var card = await partnerClient.OrderCardAsync(new PartnerOrder { IdempotencyKey = member });
        return card.Number;
    }
}

// corpus: hazard token_spent
public class UseVoucher(VoucherClient vouchers) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var receipt = await vouchers.RedeemAsync(purchase.Voucher);
        return receipt.Value;
    }
}

// corpus: safe
public class UseVoucherOnce(VoucherClient vouchers) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var receipt = await vouchers.RedeemAsync(purchase.Voucher, idempotencyKey: purchase.Id);
        return receipt.Value;
    }
}

// corpus: hazard token_spent tricky
public class LinkAccount(PartnerClient partnerClient, DaprClient dapr) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var grant = await partnerClient.ExchangeCodeAsync(purchase.Code);
        await dapr.SaveStateAsync("grants", purchase.Member, grant.RefreshToken);
        return "linked";
    }
}

// corpus: safe tricky
public class ConvertPoints(PartnerClient partnerClient) : WorkflowActivity<Purchase, decimal>
{
    public override async Task<decimal> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var rate = await partnerClient.GetExchangeRateAsync("EUR");
        return purchase.Points * rate;
    }
}

// corpus: safe tricky
public class VoucherState(VoucherClient vouchers) : WorkflowActivity<Purchase, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        return await vouchers.IsRedeemedAsync(purchase.Voucher);
    }
}

// corpus: verify unknown_callee
public class EnrollMember(PartnerClient partnerClient) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var answer = await partnerClient.EnrollAsync(purchase.Email, "silver");
        return answer.Number;
    }
}

// corpus: safe tricky
public class EnrollMemberOnce(PartnerClient partnerClient) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        var answer = await partnerClient.EnrollAsync(purchase.Email, requestId: purchase.Id);
        return answer.Number;
    }
}

// corpus: safe
public class FindMember(PartnerClient partnerClient) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        return (await partnerClient.FindMemberAsync(purchase.Email)).Number;
    }
}

// corpus: safe repeating_consumer tricky
public class AnnouncePurchase(DaprClient dapr) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        await dapr.PublishEventAsync("pubsub", "purchases", purchase, new Dictionary<string, string> { ["cloudevent.id"] = purchase.Id });
        return purchase.Id;
    }
}

// corpus: safe
public class AnnounceMember(DaprClient dapr) : WorkflowActivity<Purchase, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Purchase purchase)
    {
        await dapr.PublishEventAsync("pubsub", "members", purchase, new Dictionary<string, string> { ["cloudevent.id"] = purchase.Member });
        return purchase.Member;
    }
}

[ApiController]
public class EventsController : ControllerBase
{
    private const string Dsn = "Host=db;Database=loyalty";

    [Topic("pubsub", "purchases")]
    [HttpPost("purchases")]
    public async Task<IActionResult> OnPurchase(Purchase purchase)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("UPDATE points SET total = total + 10 WHERE member = @Member", purchase);
        return Ok();
    }

    [Topic("pubsub", "members")]
    [HttpPost("members")]
    public async Task<IActionResult> OnMember(Purchase purchase)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("INSERT INTO members (id) VALUES (@Member) ON CONFLICT (id) DO NOTHING", purchase);
        return Ok();
    }
}
