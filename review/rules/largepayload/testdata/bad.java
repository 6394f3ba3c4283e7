package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;

// [doc]
@Component
class ReadReport implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Report report = ctx.getInput(Report.class);
        try {
            return Files.readAllBytes(Path.of("/reports/" + report.id())); // want "its whole answer is returned"
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
// [/doc]

@Component
class FetchReport implements WorkflowActivity {
    private final RestTemplate rest;

    FetchReport(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Report report = ctx.getInput(Report.class);
        return rest.getForEntity(report.url(), String.class).getBody(); // want "its whole answer is returned"
    }
}

record Report(String id, String url) {}
