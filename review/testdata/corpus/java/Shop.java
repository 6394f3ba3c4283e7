// The order side of a web shop, with Dapr workflow activities.
package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import jakarta.persistence.EntityManager;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;

// corpus: hazard post_no_key
@Component
class ChargeCard implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeCard(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.postForObject("https://api.pay.example/v1/payments", order, String.class);
        return "charged";
    }
}

// corpus: safe
@Component
class ChargeWithKey implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeWithKey(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", order.getPaymentKey());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}

// corpus: hazard key_in_body
@Component
class ChargeRandom implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeRandom(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", UUID.randomUUID().toString());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}

// corpus: hazard key_in_body tricky
@Component
class ChargeByTime implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeByTime(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        String key = order.getId() + "-" + System.currentTimeMillis();
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", key);
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return key;
    }
}

// corpus: safe tricky
@Component
class ChargeByExecution implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeByExecution(RestTemplate rest) {
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

// corpus: safe key_rebuilt
@Component
class ChargeRebuilt implements WorkflowActivity {
    private final RestTemplate rest;

    ChargeRebuilt(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", "charge-" + order.getId());
        rest.exchange("https://api.pay.example/v1/payments", HttpMethod.POST, new HttpEntity<>(order, headers), String.class);
        return "charged";
    }
}

// corpus: hazard insert_no_unique
@Component
class RecordOrder implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordOrder(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("INSERT INTO orders (customer, total) VALUES (?, ?)", order.getCustomer(), order.getTotal());
        return "recorded";
    }
}

// corpus: safe
@Component
class RecordOnce implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordOnce(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("INSERT INTO orders (id, total) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", order.getId(), order.getTotal());
        return "recorded";
    }
}

// corpus: safe tricky
@Component
class RecordOrFind implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordOrFind(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            jdbc.update("INSERT INTO shipments (order_id) VALUES (?)", order.getId());
        } catch (DuplicateKeyException e) {
            return "there";
        }
        return "recorded";
    }
}

// corpus: hazard insert_no_unique,key_in_body tricky
@Component
class RecordNewId implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    RecordNewId(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        String id = UUID.randomUUID().toString();
        jdbc.update("INSERT INTO shipments (id, order_id) VALUES (?, ?)", id, order.getId());
        return id;
    }
}

// corpus: hazard insert_no_unique
@Component
class PersistRow implements WorkflowActivity {
    private final EntityManager entityManager;

    PersistRow(EntityManager entityManager) {
        this.entityManager = entityManager;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        OrderRow row = new OrderRow();
        row.setCustomer(order.getCustomer());
        entityManager.persist(row);
        return "recorded";
    }
}

// corpus: hazard counter
@Component
class AddPoints implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    AddPoints(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("UPDATE customers SET points = points + ? WHERE id = ?", order.getTotal(), order.getCustomer());
        return "added";
    }
}

// corpus: safe tricky
@Component
class CloseOrder implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    CloseOrder(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        jdbc.update("UPDATE orders SET status = 'closed', closed_at = ? WHERE id = ?", Instant.now(), order.getId());
        return "closed";
    }
}

// corpus: hazard rmw
@Component
class TakeStock implements WorkflowActivity {
    private final DaprClient dapr;

    TakeStock(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int left = dapr.getState("stock", order.getSku(), Integer.class).block().getValue();
        dapr.saveState("stock", order.getSku(), left - order.getQuantity()).block();
        return "taken";
    }
}

// corpus: safe
@Component
class SetPrice implements WorkflowActivity {
    private final DaprClient dapr;

    SetPrice(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.saveState("prices", order.getSku(), order.getTotal()).block();
        return "set";
    }
}

// corpus: safe tricky
@Component
class StockLeft implements WorkflowActivity {
    private final DaprClient dapr;

    StockLeft(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int left = dapr.getState("stock", order.getSku(), Integer.class).block().getValue();
        return String.valueOf(left - order.getQuantity());
    }
}

// corpus: hazard publish_no_id
@Component
class Announce implements WorkflowActivity {
    private final DaprClient dapr;

    Announce(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.publishEvent("bus", "orders", order).block();
        return "announced";
    }
}

// corpus: safe
@Component
class AnnounceWithId implements WorkflowActivity {
    private final DaprClient dapr;

    AnnounceWithId(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.publishEvent("bus", "orders", order, Map.of("cloudevent.id", order.getId())).block();
        return "announced";
    }
}

// corpus: hazard key_in_body tricky
@Component
class AnnounceNewId implements WorkflowActivity {
    private final DaprClient dapr;

    AnnounceNewId(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.publishEvent("bus", "orders", order, Map.of("cloudevent.id", UUID.randomUUID().toString())).block();
        return "announced";
    }
}

// corpus: hazard email_send
@Component
class MailReceipt implements WorkflowActivity {
    private final JavaMailSender mailSender;

    MailReceipt(JavaMailSender mailSender) {
        this.mailSender = mailSender;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        SimpleMailMessage message = new SimpleMailMessage();
        message.setTo(order.getEmail());
        mailSender.send(message);
        return "sent";
    }
}

// corpus: safe
@Component
class StoreLabel implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Files.writeString(Path.of("/labels/" + order.getId() + ".txt"), order.getCustomer());
        return order.getId();
    }
}

// corpus: hazard append
@Component
class AppendJournal implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Files.writeString(Path.of("/var/log/orders.csv"), order.getId() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return order.getId();
    }
}

// corpus: hazard replay_fails
@Component
class RemoveLabel implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Files.delete(Path.of("/labels/" + order.getId() + ".txt"));
        return order.getId();
    }
}

// corpus: safe
@Component
class RemoveLabelIfThere implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Files.deleteIfExists(Path.of("/labels/" + order.getId() + ".txt"));
        return order.getId();
    }
}

// corpus: hazard check_then_act,insert_no_unique
@Component
class SeatIfFree implements WorkflowActivity {
    private final JdbcTemplate jdbc;

    SeatIfFree(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Integer taken = jdbc.queryForObject("SELECT count(*) FROM seats WHERE sku = ?", Integer.class, order.getSku());
        if (taken > 0) {
            return "taken";
        }
        jdbc.update("INSERT INTO seats (sku, customer) VALUES (?, ?)", order.getSku(), order.getCustomer());
        return "reserved";
    }
}

// corpus: hazard crash_window,post_no_key tricky
@Component
class RefundLookedUp implements WorkflowActivity {
    private final RestTemplate rest;
    private final DaprClient dapr;

    RefundLookedUp(RestTemplate rest, DaprClient dapr) {
        this.rest = rest;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        String done = dapr.getState("refunds", order.getId(), String.class).block().getValue();
        if (done != null) {
            return done;
        }
        rest.postForObject("https://api.pay.example/v1/refunds", order, String.class);
        dapr.saveState("refunds", order.getId(), "refunded").block();
        return "refunded";
    }
}

// corpus: safe
@Component
class PutAddress implements WorkflowActivity {
    private final RestTemplate rest;

    PutAddress(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        rest.put("https://api.shop.example/orders/{id}/address", order, order.getId());
        return "set";
    }
}

// corpus: safe
@Component
class DeleteDraft implements WorkflowActivity {
    private final DaprClient dapr;

    DeleteDraft(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        dapr.deleteState("drafts", order.getId()).block();
        return "deleted";
    }
}

// corpus: hazard indistinct_key tricky
@Component
class ShipLines implements WorkflowActivity {
    private final RestTemplate rest;

    ShipLines(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        for (Line line : order.getLines()) {
            HttpHeaders headers = new HttpHeaders();
            headers.set("Idempotency-Key", order.getId());
            rest.exchange("https://api.parcel.example/v1/labels", HttpMethod.POST, new HttpEntity<>(line, headers), String.class);
        }
        return "shipped";
    }
}

// corpus: safe retry_loop
@Component
class PatientPut implements WorkflowActivity {
    private final RestTemplate rest;

    PatientPut(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        for (int attempt = 0; attempt < 4; attempt++) {
            try {
                rest.put("https://api.shop.example/orders/" + order.getId(), order);
                return "set";
            } catch (RestClientException e) {
                Thread.sleep(1000);
            }
        }
        throw new IllegalStateException("shop did not answer");
    }
}

// corpus: safe swallow
@Component
class QuietPut implements WorkflowActivity {
    private static final Logger log = LoggerFactory.getLogger(QuietPut.class);
    private final RestTemplate rest;

    QuietPut(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        try {
            rest.put("https://api.shop.example/orders/" + order.getId(), order);
        } catch (RestClientException e) {
            log.warn("could not set", e);
        }
        return "ok";
    }
}

// corpus: safe tricky
@Component
class NewNumber implements WorkflowActivity {
    private static final Logger log = LoggerFactory.getLogger(NewNumber.class);
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        log.info("numbering {}", order.getCustomer());
        return order.getCustomer() + "-" + UUID.randomUUID();
    }
}

// corpus: safe
@Component
class PriceOf implements WorkflowActivity {
    private final RestTemplate rest;

    PriceOf(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        BigDecimal price = rest.getForObject("https://api.price.example/" + order.getSku(), BigDecimal.class);
        return price.toString();
    }
}

// corpus: verify post_reads
@Component
class Quote implements WorkflowActivity {
    private final RestTemplate rest;

    Quote(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        return String.valueOf(rest.postForEntity("https://api.rates.example/v1/quote", order, String.class).getStatusCode());
    }
}

// corpus: safe tricky
@Component
class LockOrder implements WorkflowActivity {
    private final StringRedisTemplate redis;

    LockOrder(StringRedisTemplate redis) {
        this.redis = redis;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        Boolean first = redis.opsForValue().setIfAbsent("lock:" + order.getId(), "1");
        return String.valueOf(first);
    }
}

// corpus: hazard counter
@Component
class CountOrder implements WorkflowActivity {
    private final StringRedisTemplate redis;

    CountOrder(StringRedisTemplate redis) {
        this.redis = redis;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        redis.opsForValue().increment("orders:" + order.getCustomer());
        return "counted";
    }
}
