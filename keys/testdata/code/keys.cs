using System.Net.Http.Json;
using System.Security.Cryptography;
using Dapr.Workflow;
using Microsoft.Extensions.Logging;

public record Order(string Id, long Amount, Order[] Lines);
public record Payment(string Key, long Amount);
public record Receipt(string Id);

// [activity]
public class ChargeCard(HttpClient http) : WorkflowActivity<Payment, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Payment payment)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(payment) };
        request.Headers.Add("Idempotency-Key", payment.Key);
        using var response = await http.SendAsync(request);
        response.EnsureSuccessStatusCode();
        return (await response.Content.ReadFromJsonAsync<Receipt>())!.Id;
    }
}
// [/activity]

public class OrderWorkflow : Workflow<Order, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Order order)
    {
        // [natural]
        var payment = new Payment($"{order.Id}:charge", order.Amount);
        await context.CallActivityAsync<string>(nameof(ChargeCard), payment);
        // [/natural]
        // [step]
        payment = new Payment($"{context.InstanceId}:charge-card", order.Amount);
        await context.CallActivityAsync<string>(nameof(ChargeCard), payment);
        // [/step]
        // [loop]
        for (var i = 0; i < order.Lines.Length; i++) // a step name for every turn; better the item's own id
        {
            var line = new Payment($"{context.InstanceId}:charge-card:{i}", order.Lines[i].Amount);
            await context.CallActivityAsync<string>(nameof(ChargeCard), line);
        }
        // [/loop]
        // [parent]
        // In the parent: the child gets the key, so a retried child has the same.
        var child = new Payment($"{context.InstanceId}:charge-card", order.Amount);
        return await context.CallChildWorkflowAsync<string>(nameof(PayWorkflow), child);
        // [/parent]
    }
}

public class PayWorkflow : Workflow<Payment, string>
{
    public override async Task<string> RunAsync(WorkflowContext context, Payment payment) =>
        await context.CallActivityAsync<string>(nameof(ChargeCard), payment);
}

// [log]
/// <summary>Log messages that idem-mcp reads as they are.</summary>
public static class Idem
{
    public static string Line(string ev, string activity, string body, string? instance, string? executionId, string? key, string? outcome = null) =>
        $"idem event={ev} activity={activity} body={body}" + Word("instance", instance) + Word("execution_id", executionId) + Word("key", key) + Word("outcome", outcome);

    // A new one in every body: it tells bodies apart and is no key.
    public static string BodyId() => Convert.ToHexString(RandomNumberGenerator.GetBytes(4)).ToLowerInvariant();

    private static string Word(string name, string? value)
    {
        if (string.IsNullOrEmpty(value)) return "";
        if (value.Any(c => char.IsWhiteSpace(c) || c is '=' or '"' or '\\'))
        {
            value = "\"" + value.Replace("\\", "\\\\").Replace("\"", "\\\"").Replace("\n", "\\n").Replace("\r", "\\r").Replace("\t", "\\t") + "\"";
        }
        return $" {name}={value}";
    }
}
// [/log]

// [logged]
public class ChargeCardLogged(HttpClient http, ILogger<ChargeCardLogged> logger) : WorkflowActivity<Payment, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Payment payment)
    {
        var body = Idem.BodyId();
        logger.LogInformation("{Idem}", Idem.Line("start", "ChargeCard", body, context.InstanceId, context.TaskExecutionKey, payment.Key));
        try
        {
            var id = await Payments.Charge(http, payment);
            logger.LogInformation("{Idem}", Idem.Line("effect", "ChargeCard", body, context.InstanceId, context.TaskExecutionKey, payment.Key));
            logger.LogInformation("{Idem}", Idem.Line("end", "ChargeCard", body, context.InstanceId, context.TaskExecutionKey, payment.Key, "ok"));
            return id;
        }
        catch
        {
            logger.LogInformation("{Idem}", Idem.Line("end", "ChargeCard", body, context.InstanceId, context.TaskExecutionKey, payment.Key, "error"));
            throw;
        }
    }
}
// [/logged]

public static class Payments
{
    public static async Task<string> Charge(HttpClient http, Payment payment)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.pay.example/v1/payments") { Content = JsonContent.Create(payment) };
        request.Headers.Add("Idempotency-Key", payment.Key);
        using var response = await http.SendAsync(request);
        response.EnsureSuccessStatusCode();
        return (await response.Content.ReadFromJsonAsync<Receipt>())!.Id;
    }
}
