package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.dao.DuplicateKeyException;
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
        jdbc.update("INSERT INTO orders (order_id, total) VALUES (?, ?) ON CONFLICT (order_id) DO NOTHING", order.id(), order.total());
        return order.id();
    }
}
// [/doc]

@Component
class RecordOnce implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordOnce(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            jdbc.update("INSERT INTO orders (order_id, total) VALUES (?, ?)", order.id(), order.total());
        } catch (DuplicateKeyException e) {
            return order.id();
        }
        return order.id();
    }
}

@Component
class FindTotal implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    FindTotal(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return jdbc.queryForObject("SELECT total FROM orders WHERE order_id = ?", Integer.class, order.id());
    }
}

record Order(String id, String customer, int total) {}
