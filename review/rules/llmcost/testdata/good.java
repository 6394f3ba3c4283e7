package com.shop;

import io.dapr.client.DaprClient;
import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.stereotype.Component;

// [doc]
@Component
class Summarize implements WorkflowActivity {
    private final ChatClient chat;
    private final DaprClient dapr;

    Summarize(ChatClient chat, DaprClient dapr) {
        this.chat = chat;
        this.dapr = dapr;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Document doc = ctx.getInput(Document.class);
        String stored = dapr.getState("summaries", doc.id(), String.class).block().getValue();
        if (stored != null) {
            return stored;
        }
        String answer = chat.prompt().user(doc.text()).call().content();
        dapr.saveState("summaries", doc.id(), answer).block();
        return answer;
    }
}
// [/doc]

record Document(String id, String text) {}
