package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowStub;
import io.dapr.workflows.WorkflowTaskOptions;
import io.dapr.workflows.WorkflowTaskRetryPolicy;
import java.time.Duration;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
class PayoutFlow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            WorkflowTaskRetryPolicy retry = WorkflowTaskRetryPolicy.newBuilder()
                .setFirstRetryInterval(Duration.ofSeconds(10))
                .setBackoffCoefficient(2.0)
                .setMaxRetryInterval(Duration.ofMinutes(10))
                .setMaxNumberOfAttempts(20)
                .build();
            ctx.callActivity(PaySeller.class.getName(), order, new WorkflowTaskOptions(retry), String.class).await();
        };
    }
}

@Component
class PaySeller implements WorkflowActivity {
    private final RestTemplate rest;

    PaySeller(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.stripe.com/v1/transfers", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "paid";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
