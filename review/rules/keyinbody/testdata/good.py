import uuid

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    key = str(uuid.uuid5(uuid.NAMESPACE_URL, order["id"]))
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()
# [/doc]


@wfr.activity
def new_trace(ctx, order):
    return {"order": order["id"], "trace": str(uuid.uuid4())}
