import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    key = ctx.get_inner_context().task_execution_id
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()
# [/doc]


@wfr.activity
def region(ctx, order):
    return order["id"].split("-")[0]
