package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

// [doc]
@Component
class ShipOrder implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    ShipOrder(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Integer shipped = jdbc.queryForObject("SELECT count(*) FROM shipments WHERE order_id = ?", Integer.class, order.id());
        if (shipped > 0) {
            return "shipped before";
        }
        jdbc.update("INSERT INTO shipments (order_id) VALUES (?)", order.id()); // want "acts after a look whether it was done"
        return "shipped";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
