package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

// [doc]
@Component
class CreditAccount implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    CreditAccount(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Booking booking = ctx.getInput(Booking.class);
        jdbc.update("UPDATE accounts SET balance = balance + ? WHERE id = ?", booking.amount(), booking.account()); // want "changes a value by an amount"
        return booking.id();
    }
}
// [/doc]

record Booking(String id, String account, int balance, int amount) {}
