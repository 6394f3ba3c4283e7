using Dapr.Workflow;
using Microsoft.Extensions.AI;

// [doc]
public class Summarize(IChatClient chat) : WorkflowActivity<string, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, string text)
    {
        var answer = await chat.GetResponseAsync(text); // want "calls the model again"
        return answer.Text;
    }
}
// [/doc]
