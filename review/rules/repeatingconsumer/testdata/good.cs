using Dapper;
using Dapr;
using Dapr.Client;
using Dapr.Workflow;
using Microsoft.AspNetCore.Mvc;
using Npgsql;

public record Order(string Id);

// [doc]
public class Announce(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("pubsub", "orders", order, new Dictionary<string, string> { ["cloudevent.id"] = order.Id });
        return "announced";
    }
}

[ApiController]
public class TotalsController : ControllerBase
{
    [Topic("pubsub", "orders")]
    [HttpPost("orders")]
    public async Task<IActionResult> OnOrder(Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=stats");
        await conn.ExecuteAsync("INSERT INTO seen (order_id) VALUES (@Id) ON CONFLICT (order_id) DO NOTHING", order);
        return Ok();
    }
}
// [/doc]
