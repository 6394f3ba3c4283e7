package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowStub;
import io.dapr.workflows.WorkflowTaskOptions;
import io.dapr.workflows.WorkflowTaskRetryPolicy;
import java.time.Duration;
import org.springframework.stereotype.Component;

// [doc]
class OrderFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            WorkflowTaskRetryPolicy retry = WorkflowTaskRetryPolicy.newBuilder()
                .setFirstRetryInterval(Duration.ofSeconds(1))
                .setMaxNumberOfAttempts(5)
                .build();
            Outcome outcome = ctx.callActivity(CheckOrder.class.getName(), order, new WorkflowTaskOptions(retry), Outcome.class).await();
            if (outcome.status().equals("rejected")) {
                ctx.complete(outcome.reason());
            }
        };
    }
}

@Component
class CheckOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        if (order.quantity() <= 0) {
            return new Outcome("rejected", "quantity must be positive");
        }
        return new Outcome("ok", null);
    }
}
// [/doc]

class PlainFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            ctx.callActivity(CheckPlain.class.getName(), order, String.class).await();
        };
    }
}

@Component
class CheckPlain implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        if (order.quantity() <= 0) {
            throw new IllegalArgumentException("quantity must be positive");
        }
        return "ok";
    }
}

record Order(String id, String sku, int quantity) {}

record Outcome(String status, String reason) {}
