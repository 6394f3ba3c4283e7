package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.client.RestTemplate;

record Invoice(String key, String number, String email) {}

record Sent(String id) {}

// [table]
@Entity
@Table(name = "intent_record")
class IntentRecord {
    @Id
    String key;
    String status; // pending, succeeded, failed
    String reference; // what the provider can be searched for
    @Column(name = "provider_id")
    String providerId;
    String failure;
    @Column(name = "transient")
    boolean transientFailure;
}

interface IntentRecords extends JpaRepository<IntentRecord, String> {
    @Transactional
    @Modifying
    @Query(value = "INSERT INTO intent_record (key, status, reference) VALUES (?1, 'pending', ?2) ON CONFLICT (key) DO NOTHING", nativeQuery = true)
    int claim(String key, String reference);

    @Transactional
    @Modifying
    @Query(value = "UPDATE intent_record SET status = 'succeeded', provider_id = ?2 WHERE key = ?1 AND status = 'pending'", nativeQuery = true)
    int succeed(String key, String providerId);
}
// [/table]

// [write]
@Component
class SendInvoice implements WorkflowActivity {
    private final IntentRecords records;
    private final RestTemplate mailer;

    SendInvoice(IntentRecords records, RestTemplate mailer) {
        this.records = records;
        this.mailer = mailer;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Invoice invoice = ctx.getInput(Invoice.class);
        if (records.claim(invoice.key(), invoice.number()) == 0) { // a repeat
            IntentRecord record = records.findById(invoice.key()).orElseThrow();
            return switch (record.status) {
                case "pending" -> reconcile(invoice); // ask the provider; never send again
                case "failed" -> throw new IllegalStateException(record.failure);
                default -> record.providerId;
            };
        }
        String id = mailer.postForObject("https://mail.internal.example/messages", invoice, Sent.class).id();
        records.succeed(invoice.key(), id);
        return id;
    }
    // [/write]

    private String reconcile(Invoice invoice) {
        List<?> found = mailer.getForObject("https://mail.internal.example/messages?reference=" + invoice.number(), List.class);
        if (found.isEmpty()) {
            throw new IllegalStateException("outcome unknown: a person decides between sending again and not sending");
        }
        String id = String.valueOf(found.get(0));
        records.succeed(invoice.key(), id);
        return id;
    }
}
