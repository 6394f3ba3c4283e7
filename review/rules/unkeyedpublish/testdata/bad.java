package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class AnnounceOrder implements WorkflowActivity {
    private final DaprClient dapr;

    AnnounceOrder(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.publishEvent("pubsub", "orders", order).block(); // want "publishes without a message id of its own"
        return order.id();
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
