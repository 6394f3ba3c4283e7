package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class FetchReport implements WorkflowActivity {
    private final RestTemplate rest;
    private final DaprClient dapr;

    FetchReport(RestTemplate rest, DaprClient dapr) {
        this.rest = rest;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Report report = ctx.getInput(Report.class);
        String text = rest.getForEntity(report.url(), String.class).getBody();
        dapr.saveState("reports", report.id(), text).block();
        return report.id();
    }
}
// [/doc]

@Component
class FetchStatus implements WorkflowActivity {
    private final RestTemplate rest;

    FetchStatus(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Report report = ctx.getInput(Report.class);
        return rest.getForEntity(report.url(), String.class).getStatusCode().value();
    }
}

record Report(String id, String url) {}
