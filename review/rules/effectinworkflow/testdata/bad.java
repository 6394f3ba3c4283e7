package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowContext;
import io.dapr.workflows.WorkflowStub;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
class OrderFlow implements Workflow {
    private final RestTemplate rest = new RestTemplate();

    @Override
    public WorkflowStub create() {
        return this::follow;
    }

    private void follow(WorkflowContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.postForObject("https://hooks.example/started", order, String.class); // want "every replay acts again"
        ctx.callActivity(CheckOrder.class.getName(), order, Boolean.class).await();
    }
}
// [/doc]

class LambdaFlow implements Workflow {
    private final RestTemplate rest = new RestTemplate();

    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            rest.postForObject("https://hooks.example/started", order, String.class); // want "every replay acts again"
            ctx.callActivity(CheckOrder.class.getName(), order, Boolean.class).await();
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

record Order(String id, String customer, int total) {}
