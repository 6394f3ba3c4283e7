using Dapr.Client;
using Dapr.Workflow;

public record Order(string Id, string Account, decimal Balance, decimal Amount);

// [doc]
public class SetBalance(DaprClient dapr) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await dapr.SaveStateAsync("accounts", order.Account, order.Balance - order.Amount); // want "computed from a snapshot in the input"
        return "set";
    }
}
// [/doc]
