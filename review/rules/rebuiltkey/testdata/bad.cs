using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id, string Customer);

// [doc]
public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", $"charge-{order.Customer}-{order.Id}");
        (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "put together in the body"
        return "charged";
    }
}
// [/doc]
