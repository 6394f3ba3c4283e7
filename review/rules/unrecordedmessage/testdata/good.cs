using System.Net.Mail;
using Dapper;
using Dapr.Workflow;
using Npgsql;

public record Order(string Id, string Email);

// [doc]
public class SendReceipt : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await using var conn = new NpgsqlConnection("Host=db;Database=shop");
        var claimed = await conn.ExecuteAsync("INSERT INTO sent_mail (mail_id) VALUES (@Id) ON CONFLICT (mail_id) DO NOTHING", order);
        if (claimed == 0)
        {
            return "sent before";
        }
        using var smtp = new SmtpClient("mail.internal");
        await smtp.SendMailAsync(new MailMessage("shop@shop.example", order.Email, "Receipt", "Thank you"));
        return "sent";
    }
}
// [/doc]

public class BuildReceipt : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return Task.FromResult(new MailMessage("shop@shop.example", order.Email, "Receipt", "Thank you").Body);
    }
}
