using Dapper;
using Dapr.Client;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, string Sku, decimal Total, int Quantity);

// [doc]
public class Reserve : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("INSERT INTO reservations (order_id, sku, quantity) VALUES (@Id, @Sku, @Quantity) ON CONFLICT (order_id) DO NOTHING", order);
        return "reserved";
    }
}
// [/doc]

public class SetPrice(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.SaveStateAsync("prices", order.Sku, order.Total);
        return "set";
    }
}

public class Left(DaprClient dapr) : WorkflowActivity<Order, int>
{
    public override async Task<int> RunAsync(WorkflowActivityContext context, Order order)
    {
        var stock = await dapr.GetStateAsync<int>("stock", order.Sku);
        return stock - order.Quantity;
    }
}
