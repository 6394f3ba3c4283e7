using System.Net.Http.Json;
using Dapr.Workflow;
using Microsoft.EntityFrameworkCore;

public record Invoice(string Key, string Number, string Email);
public record Sent(string Id);

// [table]
public class IntentRecord
{
    public required string Key { get; set; } // the primary key
    public required string Status { get; set; } // pending, succeeded, failed
    public required string Reference { get; set; } // what the provider can be searched for
    public string? ProviderId { get; set; }
    public string? Failure { get; set; }
    public bool Transient { get; set; }
}

public class InvoiceDb(DbContextOptions<InvoiceDb> options) : DbContext(options)
{
    public DbSet<IntentRecord> IntentRecords => Set<IntentRecord>();

    protected override void OnModelCreating(ModelBuilder model) => model.Entity<IntentRecord>(e =>
    {
        e.ToTable("intent_record").HasKey(r => r.Key);
        e.Property(r => r.Key).HasColumnName("key");
        e.Property(r => r.Status).HasColumnName("status");
        e.Property(r => r.Reference).HasColumnName("reference");
        e.Property(r => r.ProviderId).HasColumnName("provider_id");
        e.Property(r => r.Failure).HasColumnName("failure");
        e.Property(r => r.Transient).HasColumnName("transient").HasDefaultValue(false);
    });
}
// [/table]

// [write]
public class SendInvoice(InvoiceDb db, HttpClient mailer) : WorkflowActivity<Invoice, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Invoice invoice)
    {
        var claimed = await db.Database.ExecuteSqlInterpolatedAsync(
            $"INSERT INTO intent_record (key, status, reference) VALUES ({invoice.Key}, 'pending', {invoice.Number}) ON CONFLICT (key) DO NOTHING");
        if (claimed == 0) // a repeat
        {
            var record = await db.IntentRecords.SingleAsync(r => r.Key == invoice.Key);
            return record.Status switch
            {
                "pending" => await Reconcile(invoice), // ask the provider; never send again
                "failed" => throw new InvalidOperationException(record.Failure),
                _ => record.ProviderId!,
            };
        }
        using var response = await mailer.PostAsJsonAsync("https://mail.internal.example/messages", invoice);
        response.EnsureSuccessStatusCode(); // the row stays pending
        var id = (await response.Content.ReadFromJsonAsync<Sent>())!.Id;
        await Settle(invoice, id);
        return id;
    }

    private Task Settle(Invoice invoice, string id) => db.Database.ExecuteSqlInterpolatedAsync(
        $"UPDATE intent_record SET status = 'succeeded', provider_id = {id} WHERE key = {invoice.Key} AND status = 'pending'");
    // [/write]

    private async Task<string> Reconcile(Invoice invoice)
    {
        var found = await mailer.GetFromJsonAsync<Sent[]>($"https://mail.internal.example/messages?reference={invoice.Number}");
        if (found is null || found.Length == 0) throw new InvalidOperationException("outcome unknown: a person decides between sending again and not sending");
        await Settle(invoice, found[0].Id);
        return found[0].Id;
    }
}
