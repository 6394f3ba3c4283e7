using System.Net.Http.Json;
using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id);

// [doc]
public class Pay(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        var status = await conn.ExecuteScalarAsync<string>("SELECT status FROM payments WHERE order_id = @Id", order);
        if (status == "succeeded")
        {
            return status;
        }
        if (status == "pending")
        {
            return "unknown"; // a person, or a job, asks the provider
        }
        await conn.ExecuteAsync("INSERT INTO payments (order_id, status) VALUES (@Id, 'pending') ON CONFLICT (order_id) DO NOTHING", order);
        (await http.PostAsJsonAsync("https://api.pay.example/v1/payments", order)).EnsureSuccessStatusCode();
        await conn.ExecuteAsync("UPDATE payments SET status = 'succeeded' WHERE order_id = @Id", order);
        return "succeeded";
    }
}
// [/doc]
