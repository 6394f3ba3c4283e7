using Dapr.Client;
using Dapr.Workflow;
using Microsoft.Extensions.AI;

// [doc]
public class Summarize(IChatClient chat, DaprClient dapr) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string id)
    {
        var stored = await dapr.GetStateAsync<string>("summaries", id);
        if (stored != null)
        {
            return stored;
        }
        var text = await dapr.GetStateAsync<string>("documents", id);
        var answer = await chat.GetResponseAsync(text);
        await dapr.SaveStateAsync("summaries", id, answer.Text);
        return answer.Text;
    }
}
// [/doc]
