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
class ChargeCard implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeCard(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}
// [/doc]

@Component
class SetAddress implements WorkflowActivity {
    private final RestTemplate rest;

    SetAddress(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.put("https://api.shop.example/orders/" + order.id() + "/customer", order.customer());
        return order.id();
    }
}

@Component
class ReadPayment implements WorkflowActivity {
    private final RestTemplate rest;

    ReadPayment(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return rest.getForObject("https://api.pay.example/v1/payments/" + order.id(), String.class);
    }
}

record Order(String id, String customer, int total) {}
