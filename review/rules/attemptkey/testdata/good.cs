using System.Net.Http.Json;
using Dapr.Workflow;
using Microsoft.Extensions.Logging;

public record Order(string Id);

// [doc]
public class Charge(HttpClient http, ILogger<Charge> logger) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        logger.LogInformation("charging {Order}, attempt {Attempt}", order.Id, context.TaskExecutionKey);
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", order.Id);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}
// [/doc]
