using System.Net.Http.Json;
using Dapr.Workflow;
using Microsoft.Extensions.Logging;

public record Order(string Id);

// [doc]
public class OrderFlow : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        return await context.CallActivityAsync<string>(nameof(Tell), order);
    }
}

public class Tell(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        (await http.PutAsJsonAsync($"https://hooks.example/started/{order.Id}", order)).EnsureSuccessStatusCode();
        return "told";
    }
}
// [/doc]

public class QuietFlow : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        context.SetCustomStatus("started");
        context.CreateReplaySafeLogger<QuietFlow>().LogInformation("started {Order}", order.Id);
        return await context.CallActivityAsync<string>(nameof(Tell), order);
    }
}
