using System.Net.Http.Json;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class ReadReport : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await File.ReadAllTextAsync($"/reports/{order.Id}.txt"); // want "its whole answer is returned"
    }
}
// [/doc]

public class FetchReport(HttpClient http) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string url)
    {
        return await http.GetStringAsync(url); // want "its whole answer is returned"
    }
}
