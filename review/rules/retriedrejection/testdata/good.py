from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=5)
    outcome = yield ctx.call_activity(check_order, input=order, retry_policy=retry)
    if outcome["outcome"] == "rejected":
        return outcome["reason"]


@wfr.activity
def check_order(ctx, order):
    if order["quantity"] <= 0:
        return {"outcome": "rejected", "reason": "quantity must be positive"}
    return {"outcome": "ok"}
# [/doc]


@wfr.workflow
def plain_flow(ctx, order):
    yield ctx.call_activity(check_plain, input=order)


@wfr.activity
def check_plain(ctx, order):
    if order["quantity"] <= 0:
        raise ValueError("quantity must be positive")
    return "ok"
