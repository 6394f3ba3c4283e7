import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    r = requests.post("https://api.pay.example/v1/payments", json={"amount": order["total"]}, headers={"Idempotency-Key": order["id"]}, timeout=10)
    r.raise_for_status()
    return r.json()["id"]
# [/doc]


@wfr.activity
def set_address(ctx, order):
    requests.put(f"https://api.shop.example/orders/{order['id']}/address", json=order["address"], timeout=10).raise_for_status()


@wfr.activity
def read_payment(ctx, payment_id):
    return requests.get(f"https://api.pay.example/v1/payments/{payment_id}", timeout=10).json()
