package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.Map;
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
        dapr.publishEvent("pubsub", "orders", order, Map.of("cloudevent.id", order.id())).block();
        return order.id();
    }
}
// [/doc]

@Component
class ReadTopicName implements WorkflowActivity {
    private final DaprClient dapr;

    ReadTopicName(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        return dapr.getState("config", "topic", String.class).block().getValue();
    }
}

record Order(String id, String customer, int total) {}
