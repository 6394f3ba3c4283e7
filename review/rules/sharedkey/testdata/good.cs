using Dapr.Workflow;
using Stripe;

public record Order(string Id, decimal Total, decimal Fee);

// [doc]
public class Settle : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await new ChargeService().CreateAsync(new ChargeCreateOptions { Amount = (long)order.Total }, new RequestOptions { IdempotencyKey = $"{order.Id}/charge" });
        await new TransferService().CreateAsync(new TransferCreateOptions { Amount = (long)order.Fee }, new RequestOptions { IdempotencyKey = $"{order.Id}/transfer" });
        return "settled";
    }
}
// [/doc]

public class SettleOne : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var options = new RequestOptions { IdempotencyKey = order.Id };
        if (order.Total < 0)
        {
            return (await new RefundService().CreateAsync(new RefundCreateOptions { Amount = -(long)order.Total }, options)).Id;
        }
        return (await new ChargeService().CreateAsync(new ChargeCreateOptions { Amount = (long)order.Total }, options)).Id;
    }
}
