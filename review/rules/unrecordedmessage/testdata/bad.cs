using System.Net.Mail;
using Dapr.Workflow;

public record Order(string Id, string Email);

// [doc]
public class SendReceipt : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        using var smtp = new SmtpClient("mail.internal");
        await smtp.SendMailAsync(new MailMessage("shop@shop.example", order.Email, "Receipt", "Thank you")); // want "sends a message without a record or key"
        return "sent";
    }
}
// [/doc]
