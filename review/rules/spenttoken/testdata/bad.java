package com.shop;

import com.shop.sdk.VoucherClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class UseVoucher implements WorkflowActivity {
    private final VoucherClient vouchers;

    UseVoucher(VoucherClient vouchers) {
        this.vouchers = vouchers;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return vouchers.redeem(order.voucher()); // want "uses up a one-time token"
    }
}
// [/doc]

record Order(String id, String voucher) {}
