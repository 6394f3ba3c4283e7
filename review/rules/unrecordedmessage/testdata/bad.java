package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;

// [doc]
@Component
class SendReceipt implements WorkflowActivity {
    private final JavaMailSender mail;

    SendReceipt(JavaMailSender mail) {
        this.mail = mail;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        SimpleMailMessage message = new SimpleMailMessage();
        message.setTo(order.email());
        message.setText("Thank you for order " + order.id());
        mail.send(message); // want "sends a message without a record or key"
        return "sent";
    }
}
// [/doc]

record Order(String id, String email) {}
