using System.Net.Http.Json;
using Dapr.Client;
using Dapr.Workflow;

// [doc]
public class FetchReport(HttpClient http, DaprClient dapr) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string id)
    {
        var text = await http.GetStringAsync($"https://reports.example/{id}");
        await dapr.SaveStateAsync("reports", id, text);
        return id;
    }
}
// [/doc]

public class FetchStatus(HttpClient http) : WorkflowActivity<string, int>
{
    public override async Task<int> RunAsync(WorkflowActivityContext context, string url)
    {
        var response = await http.GetAsync(url);
        return (int)response.StatusCode;
    }
}
