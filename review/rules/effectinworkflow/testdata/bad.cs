using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id, int Quantity);

// [doc]
public class OrderFlow : Workflow<Order, bool>
{
    private static readonly HttpClient Http = new();

    public override async Task<bool> RunAsync(WorkflowContext context, Order order)
    {
        await Http.PostAsJsonAsync("https://hooks.example/started", order); // want "every replay acts again"
        return await context.CallActivityAsync<bool>(nameof(Check), order);
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
