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

public class SetAddress(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}/address", order)).EnsureSuccessStatusCode();
        return "set";
    }
}

public class ReadPayment(HttpClient http) : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext context, string id)
    {
        return (await http.GetAsync($"https://api.pay.example/v1/payments/{id}")).IsSuccessStatusCode;
    }
}
