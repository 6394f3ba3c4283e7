using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class Announce(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("pubsub", "orders", order, new Dictionary<string, string> { ["cloudevent.id"] = order.Id });
        return "announced";
    }
}
// [/doc]

public class ReadTopicName(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await dapr.GetStateAsync<string>("config", "topic");
    }
}
