using System.Net.Http.Json;
using Dapr.Workflow;

public record Parcel(string Id, string Sku);

public record Order(string Id, List<Parcel> Parcels);

// [doc]
public class Ship(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        foreach (var parcel in order.Parcels)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.ship.example/v1/labels") { Content = JsonContent.Create(parcel) };
            request.Headers.Add("Idempotency-Key", $"{order.Id}/{parcel.Id}");
            (await http.SendAsync(request)).EnsureSuccessStatusCode();
        }
        return "shipped";
    }
}
// [/doc]

public class ChargeOnce : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        return await context.CallActivityAsync<string>(nameof(Charge), order);
    }
}

public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", $"{context.InstanceId}-charge");
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}
