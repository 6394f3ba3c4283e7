import smtplib

from email.message import EmailMessage
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def send_receipt(ctx, order):
    msg = EmailMessage()
    msg["To"] = order["email"]
    with smtplib.SMTP("mail.internal") as smtp:
        smtp.send_message(msg)  # want "sends a message without a record or key"
# [/doc]
