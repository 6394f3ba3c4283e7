// The order side of a web shop, with Dapr workflow activities.
using System.Net.Http.Json;
using System.Net.Mail;
using Dapr.Client;
using Dapr.Workflow;
using Dapper;
using Microsoft.EntityFrameworkCore;
using Npgsql;

namespace Shop;

public record Line(string Id, string Sku);

public record Order(string Id, string Customer, string Email, string Sku, string PaymentKey, decimal Total, int Quantity, decimal Balance, List<Line> Lines);

public class OrderRow
{
    public int Id { get; set; }
    public string Customer { get; set; } = "";
    public decimal Total { get; set; }
}

public class ShopContext : DbContext
{
    public DbSet<OrderRow> Orders { get; set; } = null!;
}

// corpus: hazard post_no_key
public class ChargeCard(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var response = await http.PostAsJsonAsync("https://api.pay.example/v1/payments", new { order.Total });
        response.EnsureSuccessStatusCode();
        return "charged";
    }
}

// corpus: safe
public class ChargeWithKey(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", order.PaymentKey);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}

// corpus: hazard key_in_body
public class ChargeRandom(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}

// corpus: hazard key_in_body tricky
public class ChargeByDay(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var key = $"{order.Id}-{DateTime.UtcNow:yyyyMMdd}";
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", key);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return key;
    }
}

// corpus: hazard attempt_key tricky
public class ChargeByExecution(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", context.TaskExecutionKey);
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}

// corpus: safe key_rebuilt
public class ChargeRebuilt(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(order) };
        request.Headers.Add("Idempotency-Key", $"charge-{order.Id}");
        (await http.SendAsync(request)).EnsureSuccessStatusCode();
        return "charged";
    }
}

// corpus: hazard insert_no_unique
public class RecordOrder : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("INSERT INTO orders (customer, total) VALUES (@Customer, @Total)", order);
        return "recorded";
    }
}

// corpus: safe
public class RecordOnce : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("INSERT INTO orders (id, total) VALUES (@Id, @Total) ON CONFLICT (id) DO NOTHING", order);
        return "recorded";
    }
}

// corpus: hazard insert_no_unique
public class RecordEntity(ShopContext db) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        db.Orders.Add(new OrderRow { Customer = order.Customer, Total = order.Total });
        await db.SaveChangesAsync();
        return "recorded";
    }
}

// corpus: hazard counter
public class AddPoints : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("UPDATE customers SET points = points + @Total WHERE id = @Customer", order);
        return "added";
    }
}

// corpus: safe tricky
public class CloseOrder : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        await conn.ExecuteAsync("UPDATE orders SET status = 'closed' WHERE id = @Id", order);
        return "closed";
    }
}

// corpus: hazard rmw
public class TakeStock(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var left = await dapr.GetStateAsync<int>("stock", order.Sku);
        await dapr.SaveStateAsync("stock", order.Sku, left - order.Quantity);
        return "taken";
    }
}

// corpus: hazard rmw tricky
public class TakeStockWithEtag(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var (left, etag) = await dapr.GetStateAndETagAsync<int>("stock", order.Sku);
        var saved = await dapr.TrySaveStateAsync("stock", order.Sku, left - order.Quantity, etag);
        return saved ? "taken" : "lost the race";
    }
}

// corpus: safe
public class SetPrice(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.SaveStateAsync("prices", order.Sku, order.Total);
        return "set";
    }
}

// corpus: safe tricky
public class StockLeft(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var left = await dapr.GetStateAsync<int>("stock", order.Sku);
        return (left - order.Quantity).ToString();
    }
}

// corpus: hazard publish_no_id
public class Announce(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("bus", "orders", order);
        return "announced";
    }
}

// corpus: safe
public class AnnounceWithId(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("bus", "orders", order, new Dictionary<string, string> { ["cloudevent.id"] = order.Id });
        return "announced";
    }
}

// corpus: hazard key_in_body tricky
public class AnnounceNewId(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.PublishEventAsync("bus", "orders", order, new Dictionary<string, string> { ["cloudevent.id"] = Guid.NewGuid().ToString() });
        return "announced";
    }
}

// corpus: hazard email_send
public class MailReceipt : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var smtp = new SmtpClient("mail.internal");
        await smtp.SendMailAsync(new MailMessage("shop@shop.example", order.Email, "Receipt", "Thank you"));
        return "sent";
    }
}

// corpus: hazard email_send tricky
public class MailBinding(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.InvokeBindingAsync("smtp-mail", "create", "Thank you", new Dictionary<string, string> { ["emailTo"] = order.Email });
        return "sent";
    }
}

// corpus: safe
public class StoreLabel : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await File.WriteAllTextAsync($"/labels/{order.Id}.txt", order.Customer);
        return order.Id;
    }
}

// corpus: hazard append
public class AppendJournal : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await File.AppendAllTextAsync("/var/log/orders.csv", order.Id + "\n");
        return order.Id;
    }
}

// corpus: safe big_payload
public class ReadLabel : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await File.ReadAllTextAsync($"/labels/{order.Id}.txt");
    }
}

// corpus: hazard check_then_act,insert_no_unique
public class SeatIfFree : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        var taken = await conn.ExecuteScalarAsync<int>("SELECT count(*) FROM seats WHERE sku = @Sku", order);
        if (taken > 0)
        {
            return "taken";
        }
        await conn.ExecuteAsync("INSERT INTO seats (sku, customer) VALUES (@Sku, @Customer)", order);
        return "reserved";
    }
}

// corpus: hazard crash_window,post_no_key tricky
public class RefundLookedUp(HttpClient http, DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var done = await dapr.GetStateAsync<string>("refunds", order.Id);
        if (done != null)
        {
            return done;
        }
        var response = await http.PostAsJsonAsync("https://api.pay.example/v1/refunds", order);
        await dapr.SaveStateAsync("refunds", order.Id, "refunded");
        return "refunded";
    }
}

// corpus: safe tricky
public class RecordOrFind : WorkflowActivity<Order, string>
{
    private const string Dsn = "Host=db;Database=shop";

    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection(Dsn);
        try
        {
            await conn.ExecuteAsync("INSERT INTO shipments (order_id) VALUES (@Id)", order);
        }
        catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
        {
            return "there";
        }
        return "recorded";
    }
}

// corpus: safe
public class PutAddress(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}/address", order)).EnsureSuccessStatusCode();
        return "set";
    }
}

// corpus: safe
public class DeleteDraft(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.DeleteStateAsync("drafts", order.Id);
        return "deleted";
    }
}

// corpus: hazard indistinct_key tricky
public class ShipLines(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        foreach (var line in order.Lines)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.parcel.example/v1/labels") { Content = JsonContent.Create(line) };
            request.Headers.Add("Idempotency-Key", order.Id);
            (await http.SendAsync(request)).EnsureSuccessStatusCode();
        }
        return "shipped";
    }
}

// corpus: safe retry_loop
public class PatientPut(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        for (var attempt = 0; attempt < 4; attempt++)
        {
            var response = await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order);
            if (response.IsSuccessStatusCode)
            {
                return "set";
            }
            await Task.Delay(1000);
        }
        throw new TimeoutException("shop did not answer");
    }
}

// corpus: safe swallow
public class QuietPut(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        try
        {
            (await http.PutAsJsonAsync($"https://api.shop.example/orders/{order.Id}", order)).EnsureSuccessStatusCode();
        }
        catch (HttpRequestException e)
        {
            Console.WriteLine(e.Message);
        }
        return "ok";
    }
}

// corpus: safe tricky
public class NewNumber : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await Task.Delay(10);
        return $"{order.Customer}-{Guid.NewGuid()}";
    }
}

// corpus: safe
public class PriceOf(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var price = await http.GetFromJsonAsync<decimal>($"https://api.price.example/{order.Sku}");
        return (price * order.Quantity).ToString();
    }
}

// corpus: verify post_reads
public class Quote(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var response = await http.PostAsJsonAsync("https://api.rates.example/v1/quote", order);
        return response.StatusCode.ToString();
    }
}

// corpus: hazard overwrite tricky
public class SetBalance(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.SaveStateAsync("accounts", order.Customer, order.Balance + order.Total);
        return "set";
    }
}
