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
    @Override
    public WorkflowStub create() {
        return this::follow;
    }

    private void follow(WorkflowContext ctx) {
        Order order = ctx.getInput(Order.class);
        ctx.callActivity(TellStarted.class.getName(), order).await();
    }
}

@Component
class TellStarted implements WorkflowActivity {
    private final RestTemplate rest;

    TellStarted(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.put("https://hooks.example/started/" + order.id(), order);
        return "told";
    }
}
// [/doc]

class LambdaFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            ctx.callActivity(TellStarted.class.getName(), order).await();
        };
    }
}

record Order(String id, String customer, int total) {}
