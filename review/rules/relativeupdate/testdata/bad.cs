using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, string Account, decimal Amount);

// [doc]
public class Credit : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        await conn.ExecuteAsync("UPDATE accounts SET balance = balance + @Amount WHERE id = @Account", order); // want "changes a value by an amount"
        return "credited";
    }
}
// [/doc]
