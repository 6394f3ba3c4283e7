import uuid

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    key = str(uuid.uuid4())
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()  # want "is made in the body"
# [/doc]
