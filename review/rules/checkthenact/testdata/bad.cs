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
            return "shipped before";
        }
        await conn.ExecuteAsync("INSERT INTO shipments (order_id) VALUES (@Id)", order); // want "acts after a look whether it was done"
        return "shipped";
    }
}
// [/doc]
