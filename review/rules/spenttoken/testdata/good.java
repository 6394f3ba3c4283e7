package com.shop;

import com.shop.sdk.VoucherClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.Map;
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
        return vouchers.redeem(order.voucher(), Map.of("idempotencyKey", order.id()));
    }
}
// [/doc]

@Component
class LookUpVoucher implements WorkflowActivity {
    private final VoucherClient vouchers;

    LookUpVoucher(VoucherClient vouchers) {
        this.vouchers = vouchers;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return vouchers.get(order.voucher());
    }
}

record Order(String id, String voucher) {}
