package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityInterface;
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
        headers.set("Idempotency-Key", ctx.getTaskExecutionId());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}
// [/doc]

@ActivityInterface
interface Payments {
    String charge(Order order);
}

@Component
class PaymentsImpl implements Payments {
    private final RestTemplate rest;

    PaymentsImpl(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public String charge(Order order) {
        System.out.println("charging, attempt " + Activity.getExecutionContext().getInfo().getAttempt());
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}

record Order(String id, String customer, int total) {}
