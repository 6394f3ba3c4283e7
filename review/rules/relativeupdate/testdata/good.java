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
        jdbc.update("INSERT INTO entries (booking_id, account, amount) VALUES (?, ?, ?) ON CONFLICT (booking_id) DO NOTHING", booking.id(), booking.account(), booking.amount());
        return booking.id();
    }
}
// [/doc]

@Component
class SetLimit implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    SetLimit(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Booking booking = ctx.getInput(Booking.class);
        jdbc.update("UPDATE accounts SET credit_limit = ? WHERE id = ?", booking.amount(), booking.account());
        return booking.account();
    }
}

record Booking(String id, String account, int balance, int amount) {}
