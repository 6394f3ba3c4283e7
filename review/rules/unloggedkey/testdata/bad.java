package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class ChargeCard implements WorkflowActivity {
    private static final Logger LOG = LoggerFactory.getLogger(ChargeCard.class);
    private final RestTemplate rest;

    ChargeCard(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        LOG.info("charging");
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class); // want "no log line carries the key"
        return "charged";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
