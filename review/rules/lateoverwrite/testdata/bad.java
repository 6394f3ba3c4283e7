package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class SetBalance implements WorkflowActivity {
    private final DaprClient dapr;

    SetBalance(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Booking booking = ctx.getInput(Booking.class);
        dapr.saveState("accounts", booking.account(), booking.balance() - booking.amount()).block(); // want "computed from a snapshot in the input"
        return booking.account();
    }
}
// [/doc]

record Booking(String id, String account, int balance, int amount) {}
