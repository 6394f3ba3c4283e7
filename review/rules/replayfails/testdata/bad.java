package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.stereotype.Component;

// [doc]
@Component
class DropUpload implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            Files.delete(Path.of("/uploads/" + order.id())); // want "fails when the thing is already gone"
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return order.id();
    }
}
// [/doc]

@Component
class TakeStock implements WorkflowActivity {
    private final DaprClient dapr;

    TakeStock(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int stock = dapr.getState("stock", order.sku(), Integer.class).block().getValue();
        if (stock < order.quantity()) {
            throw new IllegalStateException("out of stock"); // want "a second run may fail although the first succeeded"
        }
        dapr.saveState("stock", order.sku(), stock - order.quantity()).block();
        return "taken";
    }
}

record Order(String id, String sku, int quantity) {}
