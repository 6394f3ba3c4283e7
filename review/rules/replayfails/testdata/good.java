package com.shop;

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
            Files.deleteIfExists(Path.of("/uploads/" + order.id())); // the first run may have removed it
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return order.id();
    }
}
// [/doc]

@Component
class UploadSize implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            return Files.size(Path.of("/uploads/" + order.id()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

record Order(String id, String sku, int quantity) {}
