package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class PayOrder implements WorkflowActivity {
    private final RestTemplate rest;
    private final DaprClient dapr;

    PayOrder(RestTemplate rest, DaprClient dapr) {
        this.rest = rest;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        String done = dapr.getState("payments", order.id(), String.class).block().getValue();
        if (done != null) {
            return done;
        }
        String payment = rest.postForObject("https://api.pay.example/v1/payments", order, String.class); // want "records it only afterwards"
        dapr.saveState("payments", order.id(), payment).block();
        return payment;
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
