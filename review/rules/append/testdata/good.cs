using Dapr.Workflow;

public record Parcel(string Id, string Sku);

public record Order(string Id, decimal Total, List<Parcel> Parcels);

// [doc]
public class Export : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        await File.WriteAllTextAsync($"/data/orders/{order.Id}.csv", $"{order.Id},{order.Total}\n");
        return order.Id;
    }
}
// [/doc]

public class Skus : WorkflowActivity<Order, string>
{
    public override Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        var skus = new List<string>();
        foreach (var parcel in order.Parcels)
        {
            skus.Add(parcel.Sku);
        }
        return Task.FromResult(string.Join(",", skus));
    }
}
