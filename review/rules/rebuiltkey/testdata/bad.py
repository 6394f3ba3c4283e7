import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    key = f"charge-{order['customer']}-{order['id']}"
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()  # want "put together in the body"
# [/doc]
