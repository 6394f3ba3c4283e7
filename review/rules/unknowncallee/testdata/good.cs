using Dapr.Workflow;
using ShopSdk.Warehouse;

public record Order(string Id, string Sku, int Quantity);

// [doc]
public class BookPallet(IWarehouseClient warehouse) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await warehouse.ReserveAsync(order.Sku, order.Quantity, idempotencyKey: order.Id);
    }
}
// [/doc]

public class Look(IWarehouseClient warehouse) : WorkflowActivity<string, int>
{
    public override async Task<int> RunAsync(WorkflowActivityContext context, string sku)
    {
        return await warehouse.GetStockAsync(sku);
    }
}
