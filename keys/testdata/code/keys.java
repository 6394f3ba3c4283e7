package com.shop;

import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowStub;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

record Order(String id, long amount, List<Order> lines) {}

record Payment(String key, String instance, long amount) {}

// [activity]
@Component
class ChargeCard implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeCard(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Payment payment = ctx.getInput(Payment.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", payment.key());
        return rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(payment, headers), String.class).getBody();
    }
}
// [/activity]

class OrderWorkflow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            Order order = ctx.getInput(Order.class);
            // [natural]
            Payment payment = new Payment(order.id() + ":charge", ctx.getInstanceId(), order.amount());
            ctx.callActivity(ChargeCard.class.getName(), payment, String.class).await();
            // [/natural]
            // [step]
            payment = new Payment(ctx.getInstanceId() + ":charge-card", ctx.getInstanceId(), order.amount());
            ctx.callActivity(ChargeCard.class.getName(), payment, String.class).await();
            // [/step]
            // [loop]
            for (int i = 0; i < order.lines().size(); i++) { // a step name for every turn; better the item's own id
                Payment line = new Payment(ctx.getInstanceId() + ":charge-card:" + i, ctx.getInstanceId(), order.amount());
                ctx.callActivity(ChargeCard.class.getName(), line, String.class).await();
            }
            // [/loop]
            // [parent]
            // In the parent: the child gets the key, so a retried child has the same.
            Payment child = new Payment(ctx.getInstanceId() + ":charge-card", ctx.getInstanceId(), order.amount());
            ctx.callChildWorkflow(PayWorkflow.class.getName(), child, String.class).await();
            // [/parent]
        };
    }
}

class PayWorkflow implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> ctx.callActivity(ChargeCard.class.getName(), ctx.getInput(Payment.class), String.class).await();
    }
}

// [execution_id]
@Component
class ChargeCardByExecutionId implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeCardByExecutionId(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Payment payment = ctx.getInput(Payment.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", ctx.getTaskExecutionId() + ":charge");
        return rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(payment, headers), String.class).getBody();
    }
}
// [/execution_id]

// [log]
/** Log messages that idem-mcp reads as they are. */
final class Idem {
    static String line(String event, String activity, String body, String instance, String executionId, String key, String outcome) {
        return "idem event=" + event + " activity=" + activity + " body=" + body + word("instance", instance) + word("execution_id", executionId) + word("key", key) + word("outcome", outcome);
    }

    /** A new one in every body: it tells bodies apart and is no key. */
    static String bodyId() {
        return Integer.toHexString(new java.security.SecureRandom().nextInt());
    }

    private static String word(String name, String value) {
        if (value == null || value.isEmpty()) {
            return "";
        }
        if (value.matches("(?s).*[\\s=\"\\\\].*")) {
            value = '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"';
        }
        return " " + name + "=" + value;
    }
}
// [/log]

// [logged]
@Component
class ChargeCardLogged implements WorkflowActivity {
    private static final Logger log = LoggerFactory.getLogger(ChargeCardLogged.class);
    private final RestTemplate rest;

    ChargeCardLogged(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Payment payment = ctx.getInput(Payment.class);
        String body = Idem.bodyId();
        String execution = ctx.getTaskExecutionId();
        log.info(Idem.line("start", "ChargeCard", body, payment.instance(), execution, payment.key(), ""));
        try {
            HttpHeaders headers = new HttpHeaders();
            headers.set("Idempotency-Key", payment.key());
            String id = rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(payment, headers), String.class).getBody();
            log.info(Idem.line("effect", "ChargeCard", body, payment.instance(), execution, payment.key(), ""));
            log.info(Idem.line("end", "ChargeCard", body, payment.instance(), execution, payment.key(), "ok"));
            return id;
        } catch (RuntimeException e) {
            log.info(Idem.line("end", "ChargeCard", body, payment.instance(), execution, payment.key(), "error"));
            throw e;
        }
    }
}
// [/logged]
