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
            request.Headers.Add("Idempotency-Key", order.Id);
            (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "the same in every turn of the loop"
        }
        return "shipped";
    }
}
// [/doc]

public class NotifyAll : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        foreach (var parcel in order.Parcels)
        {
            await context.CallActivityAsync<string>(nameof(Notify), parcel);
        }
        return "notified";
    }
}

public class Notify(HttpClient http) : WorkflowActivity<Parcel, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Parcel parcel)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.mail.example/v1/send") { Content = JsonContent.Create(parcel) };
        request.Headers.Add("Idempotency-Key", $"{context.InstanceId}-notify");
        (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "schedules this activity in a loop"
        return "notified";
    }
}

public class Charge(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", "charge");
        (await http.SendAsync(request)).EnsureSuccessStatusCode(); // want "the key is a constant"
        return "charged";
    }
}
