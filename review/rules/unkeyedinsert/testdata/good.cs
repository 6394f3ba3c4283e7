using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, decimal Total);

// [doc]
public class RecordOrder : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("INSERT INTO orders (order_id, total) VALUES (@Id, @Total) ON CONFLICT (order_id) DO NOTHING", order);
        return order.Id;
    }
}
// [/doc]

public class RecordOnce : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        try
        {
            await conn.ExecuteAsync("INSERT INTO orders (order_id, total) VALUES (@Id, @Total)", order);
        }
        catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
        {
            return order.Id; // recorded before
        }
        return order.Id;
    }
}

public class FindOrder : WorkflowActivity<Order, decimal>
{
    public override async Task<decimal> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        return await conn.ExecuteScalarAsync<decimal>("SELECT total FROM orders WHERE order_id = @Id", order);
    }
}
