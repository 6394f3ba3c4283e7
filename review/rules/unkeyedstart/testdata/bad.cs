using Dapr.Workflow;

public record Order(string Id);

// [doc]
public class StartFulfilment(DaprWorkflowClient workflows) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await workflows.ScheduleNewWorkflowAsync("Fulfil", input: order); // want "starts a run without an id of its own"
    }
}
// [/doc]
