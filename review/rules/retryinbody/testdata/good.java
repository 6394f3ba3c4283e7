package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class SetStatus implements WorkflowActivity {
    private final RestTemplate rest;

    SetStatus(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.put("https://api.shop.example/orders/" + order.id(), order);
        return "done";
    }
}
// [/doc]

@Component
class SetAll implements WorkflowActivity {
    private final RestTemplate rest;

    SetAll(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order[] orders = ctx.getInput(Order[].class);
        for (Order order : orders) {
            rest.put("https://api.shop.example/orders/" + order.id(), order);
        }
        return orders.length;
    }
}

record Order(String id, String customer, int total) {}
