package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class ChargeCard implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeCard(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return rest.postForObject("https://api.pay.example/v1/payments", order, String.class); // want "creates something at another system without a key"
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
