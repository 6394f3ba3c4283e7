from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=5)
    outcome = yield ctx.call_activity(check, input=order, retry_policy=retry)
    return outcome["outcome"]
# [/doc]


@wfr.activity
def check(ctx, order):
    if order["quantity"] < 1:
        return {"outcome": "rejected"}
    return {"outcome": "ok"}
