using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id, string Account, decimal Balance, decimal Amount);

// [doc]
public class Book(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.SaveStateAsync("entries", $"{order.Account}/{order.Id}", order.Amount);
        return "booked";
    }
}
// [/doc]

public class Total : WorkflowActivity<Order, decimal>
{
    public override Task<decimal> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(order.Balance - order.Amount);
    }
}
