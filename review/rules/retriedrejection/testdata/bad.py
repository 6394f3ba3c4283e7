from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=5)
    yield ctx.call_activity(check_order, input=order, retry_policy=retry)


@wfr.activity
def check_order(ctx, order):
    if order["quantity"] <= 0:
        raise ValueError("quantity must be positive")  # want "a rejection that no retry can help"
    return "ok"
# [/doc]
