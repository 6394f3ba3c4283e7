package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

// [doc]
@Component
class ExportOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            Files.writeString(Path.of("/data/orders/" + order.id() + ".csv"), order.id() + "," + order.total() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return order.id();
    }
}
// [/doc]

@Component
class ListLines implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        List<String> lines = new ArrayList<>();
        for (String sku : order.skus()) {
            lines.add(order.id() + "," + sku);
        }
        return lines;
    }
}

record Order(String id, int total, List<String> skus) {}
