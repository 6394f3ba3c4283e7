using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class StartFulfilment(DaprWorkflowClient workflows) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await workflows.ScheduleNewWorkflowAsync("Fulfil", instanceId: $"fulfil-{order.Id}", input: order);
    }
}
// [/doc]

public class IsFulfilled(DaprWorkflowClient workflows) : WorkflowActivity<Order, bool>
{
    public override async Task<bool> RunAsync(WorkflowActivityContext context, Order order)
    {
        var state = await workflows.GetWorkflowStateAsync($"fulfil-{order.Id}");
        return state.IsWorkflowCompleted;
    }
}
