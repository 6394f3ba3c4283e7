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
            ctx.callActivity(CheckOrder.class.getName(), order, new WorkflowTaskOptions(retry), String.class).await();
        };
    }
}

@Component
class CheckOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        if (order.quantity() <= 0) {
            throw new IllegalArgumentException("quantity must be positive"); // want "a rejection that no retry can help"
        }
        return "ok";
    }
}
// [/doc]

class PatientFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            WorkflowTaskRetryPolicy policy = WorkflowTaskRetryPolicy.newBuilder()
                .setFirstRetryInterval(Duration.ofSeconds(1))
                .setMaxNumberOfAttempts(5)
                .build();
            ctx.callActivity(CheckPatiently.class.getName(), order, new WorkflowTaskOptions(policy), String.class).await();
        };
    }
}

@Component
class CheckPatiently implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        if (order.quantity() <= 0) {
            throw new IllegalArgumentException("quantity must be positive"); // want "a rejection that no retry can help"
        }
        return "ok";
    }
}

record Order(String id, String sku, int quantity) {}
