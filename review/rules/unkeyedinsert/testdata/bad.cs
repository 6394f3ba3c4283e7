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
        await conn.ExecuteAsync("INSERT INTO orders (order_id, total) VALUES (@Id, @Total)", order); // want "inserts a row without a condition"
        return order.Id;
    }
}
// [/doc]
