import requests
import dapr.ext.workflow as wf
import stripe

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def settle(ctx, order):
    stripe.Charge.create(amount=order["total"], idempotency_key=order["id"])
    stripe.Transfer.create(amount=order["fee"], destination=order["seller"], idempotency_key=order["id"])  # want "carries the key of another operation"
# [/doc]


@wfr.activity
def settle_by_http(ctx, order):
    headers = {"Idempotency-Key": order["id"]}
    requests.post("https://api.pay.example/v1/payments", json=order, headers=headers, timeout=10).raise_for_status()
    requests.post("https://api.pay.example/v1/transfers", json=order, headers=headers, timeout=10).raise_for_status()  # want "carries the key of another operation"
