package com.shop;

import io.temporal.activity.Activity;
import io.temporal.activity.ActivityInterface;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
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
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", "charge-" + Activity.getExecutionContext().getInfo().getAttempt());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class); // want "an id that every attempt gets anew"
        return "charged";
    }
}
// [/doc]

record Order(String id, String customer, int total) {}
