using System.Net.Http.Json;
using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Pay(HttpClient http, DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var done = await dapr.GetStateAsync<string>("payments", order.Id);
        if (done != null)
        {
            return done;
        }
        var response = await http.PostAsJsonAsync("https://api.pay.example/v1/payments", order); // want "records it only afterwards"
        var id = await response.Content.ReadAsStringAsync();
        await dapr.SaveStateAsync("payments", order.Id, id);
        return id;
    }
}
// [/doc]
