// A loyalty programme: vouchers, points, partners.
package com.shop.loyalty;

import com.partner.sdk.CardOrder;
import com.partner.sdk.Enrollment;
import com.partner.sdk.PartnerClient;
import com.voucher.sdk.VoucherClient;
import io.dapr.Topic;
import io.dapr.client.DaprClient;
import io.dapr.workflows.Workflow;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import io.dapr.workflows.WorkflowStub;
import io.dapr.workflows.WorkflowTaskOptions;
import io.dapr.workflows.WorkflowTaskRetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

record Purchase(String id, String member, String email, String voucher, String code, int points) {}

class JoinProgramme implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> {
            WorkflowTaskRetryPolicy patient = WorkflowTaskRetryPolicy.newBuilder()
                .setFirstRetryInterval(Duration.ofSeconds(5))
                .setMaxNumberOfAttempts(4)
                .build();
            ctx.callChildWorkflow(IssueCard.class.getName(), ctx.getInput(String.class), null, new WorkflowTaskOptions(patient), String.class).await();
        };
    }
}

class IssueCard implements Workflow {
    @Override
    public WorkflowStub create() {
        return ctx -> ctx.complete(ctx.callActivity(OrderCard.class.getName(), ctx.getInstanceId(), String.class).await());
    }
}

// a retried child keeps its instance id in this SDK
// corpus: safe tricky
@Component
class OrderCard implements WorkflowActivity {
    private final PartnerClient partnerClient;

    OrderCard(PartnerClient partnerClient) {
        this.partnerClient = partnerClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        String key = ctx.getInput(String.class);
        return partnerClient.orderCard(CardOrder.builder().idempotencyKey(key).build()).number();
    }
}

// corpus: hazard token_spent
@Component
class UseVoucher implements WorkflowActivity {
    private final VoucherClient voucherClient;

    UseVoucher(VoucherClient voucherClient) {
        this.voucherClient = voucherClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return voucherClient.redeem(purchase.voucher()).value();
    }
}

// corpus: safe
@Component
class UseVoucherOnce implements WorkflowActivity {
    private final VoucherClient voucherClient;

    UseVoucherOnce(VoucherClient voucherClient) {
        this.voucherClient = voucherClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return voucherClient.redeem(purchase.voucher(), Map.of("idempotencyKey", purchase.id())).value();
    }
}

// corpus: hazard token_spent tricky
@Component
class LinkAccount implements WorkflowActivity {
    private final PartnerClient partnerClient;
    private final DaprClient dapr;

    LinkAccount(PartnerClient partnerClient, DaprClient dapr) {
        this.partnerClient = partnerClient;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        var grant = partnerClient.exchangeCode(purchase.code());
        dapr.saveState("grants", purchase.member(), grant.refreshToken()).block();
        return "linked";
    }
}

// corpus: safe tricky
@Component
class ConvertPoints implements WorkflowActivity {
    private final PartnerClient partnerClient;

    ConvertPoints(PartnerClient partnerClient) {
        this.partnerClient = partnerClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        double rate = partnerClient.getExchangeRate("EUR");
        return purchase.points() * rate;
    }
}

// corpus: safe tricky
@Component
class VoucherState implements WorkflowActivity {
    private final VoucherClient voucherClient;

    VoucherState(VoucherClient voucherClient) {
        this.voucherClient = voucherClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return voucherClient.isRedeemed(purchase.voucher());
    }
}

// corpus: verify unknown_callee
@Component
class EnrollMember implements WorkflowActivity {
    private final PartnerClient partnerClient;

    EnrollMember(PartnerClient partnerClient) {
        this.partnerClient = partnerClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return partnerClient.enroll(purchase.email(), "silver").number();
    }
}

// corpus: safe tricky
@Component
class EnrollMemberOnce implements WorkflowActivity {
    private final PartnerClient partnerClient;

    EnrollMemberOnce(PartnerClient partnerClient) {
        this.partnerClient = partnerClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return partnerClient.enroll(Enrollment.of(purchase.email()).requestId(purchase.id())).number();
    }
}

// corpus: safe
@Component
class FindMember implements WorkflowActivity {
    private final PartnerClient partnerClient;

    FindMember(PartnerClient partnerClient) {
        this.partnerClient = partnerClient;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        return partnerClient.findMember(purchase.email()).number();
    }
}

// corpus: safe repeating_consumer tricky
@Component
class AnnouncePurchase implements WorkflowActivity {
    private final DaprClient dapr;

    AnnouncePurchase(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        dapr.publishEvent("pubsub", "purchases", purchase, Map.of("cloudevent.id", purchase.id())).block();
        return purchase.id();
    }
}

// corpus: safe
@Component
class AnnounceMember implements WorkflowActivity {
    private final DaprClient dapr;

    AnnounceMember(DaprClient dapr) {
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Purchase purchase = ctx.getInput(Purchase.class);
        dapr.publishEvent("pubsub", "members", purchase, Map.of("cloudevent.id", purchase.member())).block();
        return purchase.member();
    }
}

@RestController
class EventsController {
    private final JdbcTemplate jdbc;

    EventsController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Topic(name = "purchases", pubsubName = "pubsub")
    @PostMapping("/purchases")
    public void onPurchase(@RequestBody Purchase purchase) {
        jdbc.update("UPDATE points SET total = total + 10 WHERE member = ?", purchase.member());
    }

    @Topic(name = "members", pubsubName = "pubsub")
    @PostMapping("/members")
    public void onMember(@RequestBody Purchase purchase) {
        jdbc.update("INSERT INTO members (id) VALUES (?) ON CONFLICT (id) DO NOTHING", purchase.member());
    }
}
