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
            (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order)).EnsureSuccessStatusCode();
        }
        catch (HttpRequestException e)
        {
            Console.WriteLine(e.Message);
            throw;
        }
        return "done";
    }
}
// [/doc]

public class IsUp(HttpClient http) : WorkflowActivity<string, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext context, string host)
    {
        try
        {
            return (await http.GetAsync($"https://{host}/health")).IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
