package com.shop;

import com.shop.sdk.WarehouseClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.Map;
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
        return warehouse.reserve(order.sku(), order.quantity(), Map.of("idempotencyKey", order.id()));
    }
}
// [/doc]

@Component
class LookAtStock implements WorkflowActivity {
    private final WarehouseClient warehouse;

    LookAtStock(WarehouseClient warehouse) {
        this.warehouse = warehouse;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return warehouse.getStock(order.sku());
    }
}

record Order(String id, String sku, int quantity) {}
