import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": order["key"]}, timeout=10).raise_for_status()
# [/doc]
