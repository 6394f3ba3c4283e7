package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

// [doc]
@Component
class ReserveStock implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    ReserveStock(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("INSERT INTO reservations (order_id, sku, quantity) VALUES (?, ?, ?) ON CONFLICT (order_id) DO NOTHING", order.id(), order.sku(), order.quantity());
        return "reserved";
    }
}
// [/doc]

@Component
class SetQuantity implements WorkflowActivity {
    private final DaprClient dapr;

    SetQuantity(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.saveState("wanted", order.id(), order.quantity()).block();
        return order.id();
    }
}

@Component
class StockLeft implements WorkflowActivity {
    private final DaprClient dapr;

    StockLeft(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int stock = dapr.getState("stock", order.sku(), Integer.class).block().getValue();
        return stock - order.quantity();
    }
}

record Order(String id, String sku, int quantity) {}
