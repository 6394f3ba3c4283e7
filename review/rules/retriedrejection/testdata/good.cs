using Dapr.Workflow;

public record Order(string Id, int Quantity);

// [doc]
public class OrderFlow : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        var retry = new WorkflowRetryPolicy(maxNumberOfAttempts: 5, firstRetryInterval: TimeSpan.FromSeconds(1));
        return await context.CallActivityAsync<string>(nameof(CheckOrder), order, new WorkflowTaskOptions(retry));
    }
}

public class CheckOrder : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        if (order.Quantity <= 0)
        {
            return Task.FromResult("rejected: quantity must be positive");
        }
        return Task.FromResult("ok");
    }
}
// [/doc]

public class PlainFlow : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        return await context.CallActivityAsync<string>(nameof(CheckPlain), order);
    }
}

public class CheckPlain : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        if (order.Quantity <= 0)
        {
            throw new ArgumentException("quantity must be positive");
        }
        return Task.FromResult("ok");
    }
}
