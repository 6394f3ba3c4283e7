using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Text;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var key = Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(order.Id)));
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", key);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}
// [/doc]

public class NewTrace : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult($"{order.Id}/{Guid.NewGuid()}");
    }
}
