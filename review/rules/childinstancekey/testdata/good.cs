using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Parent : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        var retry = new WorkflowRetryPolicy(maxNumberOfAttempts: 3, firstRetryInterval: TimeSpan.FromSeconds(5));
        return await context.CallChildWorkflowAsync<string>(nameof(PayChild), order.Id, new ChildWorkflowTaskOptions(RetryPolicy: retry));
    }
}

public class PayChild : Workflow<string, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, string key)
    {
        return await context.CallActivityAsync<string>(nameof(Pay), key);
    }
}

public class Pay(HttpClient http) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string key)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(key) };
        request.Headers.Add("Idempotency-Key", key);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "paid";
    }
}
// [/doc]

public class Alone : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        return await context.CallActivityAsync<string>(nameof(Refund), context.InstanceId);
    }
}

public class Refund(HttpClient http) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string key)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/refunds") { Content = JsonContent.Create(key) };
        request.Headers.Add("Idempotency-Key", key);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "refunded";
    }
}
