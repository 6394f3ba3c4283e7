using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Announce(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("pubsub", "orders", order); // want "publishes without a message id of its own"
        return "announced";
    }
}
// [/doc]
