using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id, string Sku, int Quantity);

// [doc]
public class TakeStock(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var stock = await dapr.GetStateAsync<int>("stock", order.Sku);
        if (stock < order.Quantity)
        {
            throw new InvalidOperationException("out of stock"); // want "a second run may fail although the first succeeded"
        }
        await dapr.SaveStateAsync("stock", order.Sku, stock - order.Quantity);
        return "taken";
    }
}
// [/doc]
