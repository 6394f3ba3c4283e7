package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.stereotype.Component;

// [doc]
@Component
class Summarize implements WorkflowActivity {
    private final ChatClient chat;

    Summarize(ChatClient chat) {
        this.chat = chat;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Document doc = ctx.getInput(Document.class);
        return chat.prompt().user(doc.text()).call().content(); // want "calls the model again"
    }
}
// [/doc]

record Document(String id, String text) {}
