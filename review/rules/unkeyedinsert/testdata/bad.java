package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

// [doc]
@Component
class RecordOrder implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordOrder(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("INSERT INTO orders (order_id, total) VALUES (?, ?)", order.id(), order.total()); // want "inserts a row without a condition"
        return order.id();
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
