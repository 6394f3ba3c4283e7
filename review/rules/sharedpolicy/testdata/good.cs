using Dapr.Workflow;

public record Parcel(string Id, string Sku);

public record Order(string Id, int Quantity, List<Parcel> Parcels);

// [doc]
public class OrderFlow : Workflow<Order, int>
{
    private static readonly WorkflowTaskOptions Patient = new(new WorkflowRetryPolicy(maxNumberOfAttempts: 20, firstRetryInterval: TimeSpan.FromSeconds(5)));

    public override async Task<int> RunAsync(WorkflowContext context, Order order)
    {
        await context.CallActivityAsync<bool>(nameof(Check), order); // a rejection is an answer
        await context.CallActivityAsync<int>(nameof(Price), order, Patient);
        return await context.CallActivityAsync<int>(nameof(Stock), order, Patient);
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
