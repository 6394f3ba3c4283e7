using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class SetStatus(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        for (var attempt = 0; attempt < 5; attempt++)
        {
            try
            {
                (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order)).EnsureSuccessStatusCode(); // want "is retried in the body"
                return "done";
            }
            catch (HttpRequestException)
            {
                await Task.Delay(1000);
            }
        }
        throw new TimeoutException("gave up");
    }
}
// [/doc]
