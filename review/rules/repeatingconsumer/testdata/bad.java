package com.shop;

import io.dapr.Topic;
import io.dapr.client.DaprClient;
import io.dapr.client.domain.CloudEvent;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

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
        dapr.publishEvent("pubsub", "orders", order, Map.of("cloudevent.id", order.id())).block(); // want "a subscriber of the topic repeats its work"
        return order.id();
    }
}

@RestController
class OrderEvents {
    private final JdbcTemplate jdbc;

    OrderEvents(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Topic(name = "orders", pubsubName = "pubsub")
    @PostMapping("/orders")
    public void onOrder(@RequestBody CloudEvent<Order> event) {
        jdbc.update("UPDATE totals SET orders = orders + 1");
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
