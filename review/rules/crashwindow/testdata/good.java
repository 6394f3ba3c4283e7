package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.util.List;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class PayOrder implements WorkflowActivity {
    private final RestTemplate rest;
    private final JdbcTemplate jdbc;

    PayOrder(RestTemplate rest, JdbcTemplate jdbc) {
        this.rest = rest;
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        List<String> rows = jdbc.queryForList("SELECT status FROM payments WHERE order_id = ?", String.class, order.id());
        if (rows.contains("succeeded")) {
            return "succeeded";
        }
        if (rows.contains("pending")) {
            return "unknown"; // a person, or a job, asks the provider
        }
        jdbc.update("INSERT INTO payments (order_id, status) VALUES (?, 'pending') ON CONFLICT (order_id) DO NOTHING", order.id());
        rest.postForObject("https://api.pay.example/v1/payments", order, String.class);
        jdbc.update("UPDATE payments SET status = 'succeeded' WHERE order_id = ?", order.id());
        return "succeeded";
    }
}
// [/doc]

@Component
class PayByKey implements WorkflowActivity {
    private final RestTemplate rest;
    private final DaprClient dapr;

    PayByKey(RestTemplate rest, DaprClient dapr) {
        this.rest = rest;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        String done = dapr.getState("payments", order.id(), String.class).block().getValue();
        if (done != null) {
            return done;
        }
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.id());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        dapr.saveState("payments", order.id(), "paid").block();
        return "paid";
    }
}

record Order(String id, String customer, int total) {}
