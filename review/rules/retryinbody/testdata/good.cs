using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class SetStatus(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order)).EnsureSuccessStatusCode();
        return "done";
    }
}
// [/doc]

public class WaitFor(HttpClient http) : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext context, string job)
    {
        while (await http.GetStringAsync($"https://jobs.example/{job}") != "done")
        {
            await Task.Delay(5000);
        }
        return true;
    }
}
