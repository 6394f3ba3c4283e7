using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, string Sku, int Quantity);

// [doc]
public class TakeStock : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("INSERT INTO reservations (order_id, sku, quantity) VALUES (@Id, @Sku, @Quantity) ON CONFLICT (order_id) DO NOTHING", order);
        return "taken"; // the first run's reservation counts
    }
}
// [/doc]

public class DropUpload : WorkflowActivity<string, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, string name)
    {
        File.Delete($"/uploads/{name}"); // no error when it is gone
        return Task.FromResult(name);
    }
}
