using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Payout : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        var retry = new WorkflowRetryPolicy(maxNumberOfAttempts: 20, firstRetryInterval: TimeSpan.FromSeconds(10), backoffCoefficient: 2, maxRetryInterval: TimeSpan.FromMinutes(10));
        return await context.CallActivityAsync<string>(nameof(Pay), order, new WorkflowTaskOptions(retry));
    }
}

public class Pay(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://thirdparty.qonto.com/v2/transfers") { Content = JsonContent.Create(order) };
        request.Headers.Add("X-Qonto-Idempotency-Key", order.Id);
        (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "window too short"
        return "paid";
    }
}
// [/doc]
