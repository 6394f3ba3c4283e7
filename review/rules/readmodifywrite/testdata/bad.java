package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class ReserveStock implements WorkflowActivity {
    private final DaprClient dapr;

    ReserveStock(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int stock = dapr.getState("stock", order.sku(), Integer.class).block().getValue();
        dapr.saveState("stock", order.sku(), stock - order.quantity()).block(); // want "writes a value computed from what it read before"
        return "reserved";
    }
}
// [/doc]

record Order(String id, String sku, int quantity) {}
