using Dapr.Workflow;
using ShopSdk.Vouchers;

public record Order(string Id, string Voucher);

// [doc]
public class UseVoucher(IVoucherClient vouchers) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await vouchers.RedeemAsync(order.Voucher, idempotencyKey: order.Id);
    }
}
// [/doc]

public class LookUp(IVoucherClient vouchers) : WorkflowActivity<Order, string>
{
    public override async Task<string> RunAsync(WorkflowActivityContext context, Order order)
    {
        return await vouchers.GetAsync(order.Voucher);
    }
}
