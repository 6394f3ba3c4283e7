from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=5)


@wfr.workflow
def order_flow(ctx, order):
    yield ctx.call_activity(check, input=order, retry_policy=retry)  # want "one retry policy object is used for all 3 calls"
    yield ctx.call_activity(price, input=order, retry_policy=retry)
    yield ctx.call_activity(stock, input=order, retry_policy=retry)
# [/doc]


@wfr.activity
def check(ctx, order):
    return True


@wfr.activity
def price(ctx, order):
    return 1


@wfr.activity
def stock(ctx, order):
    return 2
