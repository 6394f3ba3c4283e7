using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class SetStatus(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        try
        {
            (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order)).EnsureSuccessStatusCode(); // want "its failure is caught and not raised"
        }
        catch (HttpRequestException e)
        {
            Console.WriteLine(e.Message);
        }
        return "done";
    }
}
// [/doc]
