package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.List;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class PrintLabels implements WorkflowActivity {
    private final RestTemplate rest;

    PrintLabels(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        for (Parcel parcel : order.parcels()) {
            HttpHeaders headers = new HttpHeaders();
            headers.set("Idempotency-Key", order.id());
            rest.exchange("https://api.ship.example/v1/labels", HttpMethod.POST, new HttpEntity<>(parcel, headers), String.class); // want "the same in every turn of the loop"
        }
        return "printed";
    }
}
// [/doc]

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
        headers.set("Idempotency-Key", "charge");
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class); // want "the key is a constant"
        return "charged";
    }
}

record Order(String id, List<Parcel> parcels) {}

record Parcel(String id, int weight) {}
