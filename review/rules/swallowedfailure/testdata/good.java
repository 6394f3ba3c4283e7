package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class SetStatus implements WorkflowActivity {
    private static final Logger LOG = LoggerFactory.getLogger(SetStatus.class);
    private final RestTemplate rest;

    SetStatus(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            rest.put("https://api.shop.example/orders/" + order.id(), order);
        } catch (RestClientException e) {
            LOG.warn("could not set the status of {}", order.id(), e);
            throw e;
        }
        return "done";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
