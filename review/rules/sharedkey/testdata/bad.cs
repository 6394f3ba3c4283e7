using Dapr.Workflow;
using Stripe;

public record Order(string Id, decimal Total, decimal Fee);

// [doc]
public class Settle : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await new ChargeService().CreateAsync(new ChargeCreateOptions { Amount = (long)order.Total }, new RequestOptions { IdempotencyKey = order.Id });
        await new TransferService().CreateAsync(new TransferCreateOptions { Amount = (long)order.Fee }, new RequestOptions { IdempotencyKey = order.Id }); // want "carries the key of another operation"
        return "settled";
    }
}
// [/doc]
