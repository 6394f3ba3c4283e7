using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id, string Sku, int Quantity);

// [doc]
public class Reserve(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var stock = await dapr.GetStateAsync<int>("stock", order.Sku);
        await dapr.SaveStateAsync("stock", order.Sku, stock - order.Quantity); // want "writes a value computed from what it read before"
        return "reserved";
    }
}
// [/doc]
