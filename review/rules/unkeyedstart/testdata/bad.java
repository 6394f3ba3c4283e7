package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowStub;
import io.dapr.workflows.client.DaprWorkflowClient;
import org.springframework.stereotype.Component;

// [doc]
@Component
class StartReconciliation implements WorkflowActivity {
    private final DaprWorkflowClient workflows;

    StartReconciliation(DaprWorkflowClient workflows) {
        this.workflows = workflows;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        return workflows.scheduleNewWorkflow(Reconcile.class); // want "starts a run without an id of its own"
    }
}
// [/doc]

@Component
class StartFulfilment implements WorkflowActivity {
    private final DaprWorkflowClient workflows;

    StartFulfilment(DaprWorkflowClient workflows) {
        this.workflows = workflows;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return workflows.scheduleNewWorkflow(Fulfil.class, order); // want "starts a run without an id of its own"
    }
}

class Reconcile implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            ctx.callActivity(StartReconciliation.class.getName(), "today", String.class).await();
        };
    }
}

class Fulfil implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            ctx.callActivity(StartFulfilment.class.getName(), order, String.class).await();
        };
    }
}

record Order(String id, String customer, int total) {}
