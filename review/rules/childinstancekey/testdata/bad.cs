using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Parent : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        var retry = new WorkflowRetryPolicy(maxNumberOfAttempts: 3, firstRetryInterval: TimeSpan.FromSeconds(5));
        return await context.CallChildWorkflowAsync<string>(nameof(PayChild), order, new ChildWorkflowTaskOptions(RetryPolicy: retry));
    }
}

public class PayChild : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        return await context.CallActivityAsync<string>(nameof(Pay), context.InstanceId);
    }
}

public class Pay(HttpClient http) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string key)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(key) };
        request.Headers.Add("Idempotency-Key", key);
        (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "every retry of it is a new instance"
        return "paid";
    }
}
// [/doc]
