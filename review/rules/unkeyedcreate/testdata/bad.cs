using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id, decimal Total);

// [doc]
public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var response = await http.PostAsJsonAsync("https://api.pay.example/v1/payments", new { order.Total }); // want "creates something at another system without a key"
        response.EnsureSuccessStatusCode();
        return "charged";
    }
}
// [/doc]
