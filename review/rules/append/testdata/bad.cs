using Dapr.Workflow;

public record Order(string Id, decimal Total);

// [doc]
public class Export : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await File.AppendAllTextAsync("/data/orders.csv", $"{order.Id},{order.Total}\n"); // want "adds to what is there"
        return order.Id;
    }
}
// [/doc]
