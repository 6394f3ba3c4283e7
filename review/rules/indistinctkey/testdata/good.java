package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;
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
            headers.set("Idempotency-Key", order.id() + "/" + parcel.id());
            rest.exchange("https://api.ship.example/v1/labels", HttpMethod.POST, new HttpEntity<>(parcel, headers), String.class);
        }
        return "printed";
    }
}
// [/doc]

@Component
class ChargePatiently implements WorkflowActivity {
    private static final Logger LOG = LoggerFactory.getLogger(ChargePatiently.class);
    private final RestTemplate rest;

    ChargePatiently(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        for (int attempt = 0; attempt < 3; attempt++) {
            try {
                return rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class).getBody();
            } catch (RestClientException e) {
                LOG.warn("attempt {} of order {}", attempt, order.id(), e);
            }
        }
        throw new IllegalStateException("payment did not answer");
    }
}

record Order(String id, List<Parcel> parcels) {}

record Parcel(String id, int weight) {}
