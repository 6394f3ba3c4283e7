package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;

// [doc]
@Component
class BookEntry implements WorkflowActivity {
    private final DaprClient dapr;

    BookEntry(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Booking booking = ctx.getInput(Booking.class);
        dapr.saveState("entries", booking.account() + "/" + booking.id(), booking.amount()).block();
        return booking.id();
    }
}
// [/doc]

@Component
class NewBalance implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Booking booking = ctx.getInput(Booking.class);
        return booking.balance() - booking.amount();
    }
}

record Booking(String id, String account, int balance, int amount) {}
