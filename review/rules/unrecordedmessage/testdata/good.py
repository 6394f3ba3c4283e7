import smtplib

from email.message import EmailMessage
import psycopg
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def send_receipt(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        claimed = conn.execute("INSERT INTO sent_mail (mail_id) VALUES (%s) ON CONFLICT (mail_id) DO NOTHING RETURNING mail_id", (order["id"],)).fetchone()
    if not claimed:
        return "sent before"
    msg = EmailMessage()
    msg["To"] = order["email"]
    with smtplib.SMTP("mail.internal") as smtp:
        smtp.send_message(msg)
    return "sent"
# [/doc]


@wfr.activity
def build_receipt(ctx, order):
    msg = EmailMessage()
    msg["To"] = order["email"]
    return msg.as_string()
