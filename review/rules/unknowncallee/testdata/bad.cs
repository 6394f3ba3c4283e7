using Dapr.Workflow;
using ShopSdk.Warehouse;

public record Order(string Id, string Sku, int Quantity);

// [doc]
public class BookPallet(IWarehouseClient warehouse) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await warehouse.ReserveAsync(order.Sku, order.Quantity); // want "calls something outside the repository"
    }
}
// [/doc]

public class CancelBooking(HttpClient http) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        (await http.PostAsync($"https://api.travel.example/bookings/{order.Id}/cancel", null)).EnsureSuccessStatusCode(); // want "moves one thing to a state"
        return "cancelled";
    }
}
