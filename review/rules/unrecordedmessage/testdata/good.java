package com.shop;

import io.dapr.workflows.WorkflowActivity;
import io.dapr.workflows.WorkflowActivityContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;

// [doc]
@Component
class SendReceipt implements WorkflowActivity {
    private final JavaMailSender mail;
    private final JdbcTemplate jdbc;

    SendReceipt(JavaMailSender mail, JdbcTemplate jdbc) {
        this.mail = mail;
        this.jdbc = jdbc;
    }

    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        int claimed = jdbc.update("INSERT INTO sent_mail (mail_id) VALUES (?) ON CONFLICT (mail_id) DO NOTHING", order.id());
        if (claimed == 0) {
            return "sent before";
        }
        SimpleMailMessage message = new SimpleMailMessage();
        message.setTo(order.email());
        message.setText("Thank you for order " + order.id());
        mail.send(message);
        return "sent";
    }
}
// [/doc]

@Component
class BuildReceipt implements WorkflowActivity {
    @Override
    public Object run(WorkflowActivityContext ctx) {
        Order order = ctx.getInput(Order.class);
        SimpleMailMessage message = new SimpleMailMessage();
        message.setTo(order.email());
        message.setText("Thank you for order " + order.id());
        return message.getText();
    }
}

record Order(String id, String email) {}
