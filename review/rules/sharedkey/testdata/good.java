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
        HttpHeaders payment = new HttpHeaders();
        payment.set("Idempotency-Key", order.id() + "/payment");
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, payment), String.class);
        HttpHeaders transfer = new HttpHeaders();
        transfer.set("Idempotency-Key", order.id() + "/transfer");
        rest.exchange("https://api.pay.example/v1/transfers", HttpMethod.POST, new HttpEntity<>(order, transfer), String.class);
        return "settled";
    }
}
// [/doc]

@Component
class SettleOne implements WorkflowActivity {
    private final RestTemplate rest;

    SettleOne(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        if (order.total() < 0) {
            return rest.exchange("https://api.pay.example/v1/transfers", HttpMethod.POST, new HttpEntity<>(order, headers), String.class).getBody();
        }
        return rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class).getBody();
    }
}

record Order(String id, String customer, int total) {}
