package com.shop;

import com.shop.sdk.WarehouseClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class BookPallet implements WorkflowActivity {
    private final WarehouseClient warehouse;

    BookPallet(WarehouseClient warehouse) {
        this.warehouse = warehouse;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return warehouse.reserve(order.sku(), order.quantity()); // want "calls something outside the repository"
    }
}
// [/doc]

record Order(String id, String sku, int quantity) {}
