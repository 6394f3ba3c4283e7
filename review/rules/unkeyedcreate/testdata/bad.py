import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    r = requests.post("https://api.pay.example/v1/payments", json={"amount": order["total"]}, timeout=10)  # want "creates something at another system without a key"
    r.raise_for_status()
    return r.json()["id"]
# [/doc]
