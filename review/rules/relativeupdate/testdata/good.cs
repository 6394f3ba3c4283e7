using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, string Account, decimal Total, decimal Amount);

// [doc]
public class Credit : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("INSERT INTO entries (payment_id, account, amount) VALUES (@Id, @Account, @Amount) ON CONFLICT (payment_id) DO NOTHING", order);
        return "credited";
    }
}
// [/doc]

public class SetLimit : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("UPDATE accounts SET credit_limit = @Total WHERE id = @Account", order);
        return "set";
    }
}
