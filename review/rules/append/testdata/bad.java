package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.stereotype.Component;

// [doc]
@Component
class ExportOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            Files.writeString(Path.of("/data/orders.csv"), order.id() + "," + order.total() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND); // want "adds to what is there"
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return order.id();
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
