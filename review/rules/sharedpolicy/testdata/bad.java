package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowContext;
import io.dapr.workflows.WorkflowStub;
import io.dapr.workflows.WorkflowTaskOptions;
import io.dapr.workflows.WorkflowTaskRetryPolicy;
import java.time.Duration;
import org.springframework.stereotype.Component;

// [doc]
class OrderFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return this::follow;
    }

    private void follow(WorkflowContext ctx) {
        Order order = ctx.getInput(Order.class);
        WorkflowTaskRetryPolicy retry = WorkflowTaskRetryPolicy.newBuilder()
            .setFirstRetryInterval(Duration.ofSeconds(1))
            .setMaxNumberOfAttempts(5)
            .build();
        ctx.callActivity(CheckOrder.class.getName(), order, new WorkflowTaskOptions(retry), Boolean.class).await(); // want "one retry policy object is used for all 3 calls"
        ctx.callActivity(PriceOrder.class.getName(), order, new WorkflowTaskOptions(retry), Integer.class).await();
        ctx.callActivity(FindStock.class.getName(), order, new WorkflowTaskOptions(retry), Integer.class).await();
    }
}
// [/doc]

class LambdaFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            WorkflowTaskRetryPolicy retry = WorkflowTaskRetryPolicy.newBuilder()
                .setFirstRetryInterval(Duration.ofSeconds(1))
                .setMaxNumberOfAttempts(5)
                .build();
            ctx.callActivity(CheckOrder.class.getName(), order, new WorkflowTaskOptions(retry), Boolean.class).await(); // want "one retry policy object is used for all 3 calls"
            ctx.callActivity(PriceOrder.class.getName(), order, new WorkflowTaskOptions(retry), Integer.class).await();
            ctx.callActivity(FindStock.class.getName(), order, new WorkflowTaskOptions(retry), Integer.class).await();
        };
    }
}

@Component
class CheckOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return order.total() > 0;
    }
}

@Component
class PriceOrder implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return order.total();
    }
}

@Component
class FindStock implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return 2;
    }
}

record Order(String id, String customer, int total) {}
