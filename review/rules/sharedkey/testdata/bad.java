package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class SettleOrder implements WorkflowActivity {
    private final RestTemplate rest;

    SettleOrder(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        rest.exchange("https://api.pay.example/v1/transfers", HttpMethod.POST, new HttpEntity<>(order, headers), String.class); // want "carries the key of another operation"
        return "settled";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
