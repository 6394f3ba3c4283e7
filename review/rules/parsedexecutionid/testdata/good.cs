using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", order.Id);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}
// [/doc]

public class Region : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(order.Id.Split('-')[0]);
    }
}
