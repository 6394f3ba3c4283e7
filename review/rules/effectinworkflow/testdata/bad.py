import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    requests.post("https://hooks.example/started", json=order, timeout=10)  # want "every replay acts again"
    yield ctx.call_activity(check, input=order)
# [/doc]


@wfr.activity
def check(ctx, order):
    return True
