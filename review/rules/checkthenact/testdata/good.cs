using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id);

// [doc]
public class Ship : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        var shipped = await conn.ExecuteScalarAsync<int>("SELECT count(*) FROM shipments WHERE order_id = @Id", order);
        if (shipped > 0)
        {
            return "shipped before"; // a shortcut
        }
        await conn.ExecuteAsync("INSERT INTO shipments (order_id) VALUES (@Id) ON CONFLICT (order_id) DO NOTHING", order);
        return "shipped";
    }
}
// [/doc]

public class Look : WorkflowActivity<Order, int>
{
    public override async Task<int> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        return await conn.ExecuteScalarAsync<int>("SELECT count(*) FROM shipments WHERE order_id = @Id", order);
    }
}
