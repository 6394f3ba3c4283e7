"""Back office: mail, files, jobs, models."""

import os
import smtplib
import time
from datetime import timedelta
from email.message import EmailMessage

import boto3
import redis
import requests
import stripe
from dapr.clients import DaprClient
from dapr.ext.workflow import DaprWorkflowClient
from openai import OpenAI

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()
cache = redis.Redis()
s3 = boto3.client("s3")
sqs = boto3.client("sqs")
model = OpenAI()
slow = wf.RetryPolicy(first_retry_interval=timedelta(minutes=5), max_number_of_attempts=10)


@wfr.workflow
def send_queue(ctx, job):
    yield ctx.call_activity(enqueue_fifo, input=job, retry_policy=slow)
    yield ctx.call_activity(validate_job, input=job, retry_policy=slow)


# corpus: hazard email_send
@wfr.activity
def mail_invoice(ctx, invoice):
    message = EmailMessage()
    message["To"] = invoice["email"]
    message["Subject"] = f"Invoice {invoice['number']}"
    with smtplib.SMTP("mail.internal") as smtp:
        smtp.send_message(message)


# corpus: safe tricky
@wfr.activity
def mail_once(ctx, invoice):
    if not cache.set(f"mail:{invoice['number']}", "1", nx=True):
        return "sent before"
    with smtplib.SMTP("mail.internal") as smtp:
        smtp.sendmail("office@shop.example", [invoice["email"]], "Invoice")
    return "sent"


# corpus: hazard email_send,swallow
@wfr.activity
def mail_quietly(ctx, invoice):
    try:
        with smtplib.SMTP("mail.internal") as smtp:
            smtp.sendmail("office@shop.example", [invoice["email"]], "Invoice")
    except smtplib.SMTPException as error:
        print("mail failed", error)
    return "ok"


# corpus: hazard append
@wfr.activity
def write_journal(ctx, entry):
    with open("/var/lib/office/journal.log", "a", encoding="utf-8") as f:
        f.write(entry["text"] + "\n")


# corpus: safe
@wfr.activity
def write_report(ctx, report):
    with open(f"/var/lib/office/{report['id']}.json", "w", encoding="utf-8") as f:
        f.write(report["text"])


# corpus: hazard replay_fails
@wfr.activity
def remove_upload(ctx, upload):
    os.unlink(os.path.join("/uploads", upload["name"]))


# corpus: safe
@wfr.activity
def remove_upload_if_there(ctx, upload):
    try:
        os.unlink(os.path.join("/uploads", upload["name"]))
    except FileNotFoundError:
        pass


# corpus: safe
@wfr.activity
def store_scan(ctx, scan):
    s3.put_object(Bucket="scans", Key=f"{scan['id']}.pdf", Body=scan["data"])


# corpus: hazard key_in_body tricky
@wfr.activity
def store_scan_by_time(ctx, scan):
    s3.put_object(Bucket="scans", Key=f"{scan['id']}-{int(time.time())}.pdf", Body=scan["data"])


# corpus: hazard short_window tricky
@wfr.activity
def enqueue_fifo(ctx, job):
    sqs.send_message(QueueUrl=job["queue"], MessageBody=job["body"], MessageGroupId="jobs", MessageDeduplicationId=job["id"])


# corpus: hazard publish_no_id
@wfr.activity
def enqueue(ctx, job):
    sqs.send_message(QueueUrl=job["queue"], MessageBody=job["body"])


# corpus: safe business_rejection
@wfr.activity
def validate_job(ctx, job):
    if not job.get("queue"):
        raise ValueError("queue is required")
    return True


# corpus: hazard counter
@wfr.activity
def count_mail(ctx, invoice):
    cache.incr("mails:" + invoice["email"])


# corpus: safe tricky
@wfr.activity
def remember_mail(ctx, invoice):
    cache.sadd("mails:" + invoice["email"], invoice["number"])


# corpus: hazard append
@wfr.activity
def push_job(ctx, job):
    cache.rpush("jobs", job["id"])


# corpus: hazard start_no_id
@wfr.activity
def start_archive(ctx, job):
    return DaprWorkflowClient().schedule_new_workflow(workflow=send_queue, input=job)


# corpus: safe
@wfr.activity
def start_archive_once(ctx, job):
    return DaprWorkflowClient().schedule_new_workflow(workflow=send_queue, input=job, instance_id=job["id"])


# corpus: safe llm_cost
@wfr.activity
def summarize(ctx, text):
    answer = model.responses.create(model="small", input=f"Summarize: {text}")
    return answer.output_text


# corpus: safe big_payload
@wfr.activity
def download(ctx, url):
    return requests.get(url, timeout=60).text


# corpus: hazard post_no_key
@wfr.activity
def pay_supplier(ctx, invoice):
    return stripe.Transfer.create(amount=invoice["amount"], currency="eur", destination=invoice["account"]).id


# corpus: safe
@wfr.activity
def pay_supplier_once(ctx, invoice):
    return stripe.Transfer.create(amount=invoice["amount"], currency="eur", destination=invoice["account"], idempotency_key=invoice["number"]).id


# corpus: hazard shared_key tricky
@wfr.activity
def pay_and_fee(ctx, invoice):
    stripe.Transfer.create(amount=invoice["amount"], destination=invoice["account"], idempotency_key=invoice["number"])
    stripe.Charge.create(amount=invoice["fee"], idempotency_key=invoice["number"])


# corpus: safe retry_loop
@wfr.activity
def set_status(ctx, invoice):
    for attempt in range(4):
        response = requests.put(f"https://api.office.example/invoices/{invoice['number']}", json=invoice, timeout=10)
        if response.ok:
            return True
        time.sleep(attempt)
    raise RuntimeError("office did not answer")


# corpus: verify post_reads
@wfr.activity
def search_invoices(ctx, query):
    return requests.post("https://api.office.example/invoices/search", json=query, timeout=10).json()["ids"]


# corpus: hazard overwrite tricky
@wfr.activity
def book_payment(ctx, account):
    with DaprClient() as d:
        d.save_state("accounts", account["id"], str(account["balance"] + account["payment"]))


# corpus: safe execution_id_parsed tricky
@wfr.activity
def short_key(ctx, invoice):
    key = ctx.get_inner_context().task_execution_id[:12]
    requests.post("https://api.office.example/payments", json=invoice, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()


# corpus: safe key_not_logged
@wfr.activity
def pay_logged_without_key(ctx, invoice):
    print("paying")
    requests.post("https://api.office.example/payments", json=invoice, headers={"Idempotency-Key": invoice["number"]}, timeout=10).raise_for_status()
