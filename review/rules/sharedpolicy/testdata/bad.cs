using Dapr.Workflow;

public record Parcel(string Id, string Sku);

public record Order(string Id, int Quantity, List<Parcel> Parcels);

// [doc]
public class OrderFlow : Workflow<Order, int>
{
    private static readonly WorkflowTaskOptions Retry = new(new WorkflowRetryPolicy(maxNumberOfAttempts: 5, firstRetryInterval: TimeSpan.FromSeconds(5)));

    public override async Task<int> RunAsync(WorkflowContext context, Order order)
    {
        await context.CallActivityAsync<bool>(nameof(Check), order, Retry); // want "one retry policy object is used for all 3 calls"
        await context.CallActivityAsync<int>(nameof(Price), order, Retry);
        return await context.CallActivityAsync<int>(nameof(Stock), order, Retry);
    }
}
// [/doc]

public class Check : WorkflowActivity<Order, bool>
{
    public override Task<bool> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(order.Quantity > 0);
    }
}

public class Price : WorkflowActivity<Order, int>
{
    public override Task<int> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(order.Quantity);
    }
}

public class Stock : WorkflowActivity<Order, int>
{
    public override Task<int> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(order.Parcels.Count);
    }
}
