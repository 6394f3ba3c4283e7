from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
patient = wf.RetryPolicy(first_retry_interval=timedelta(seconds=5), max_number_of_attempts=20)


@wfr.workflow
def order_flow(ctx, order):
    yield ctx.call_activity(check, input=order)  # a rejection is an answer
    yield ctx.call_activity(price, input=order, retry_policy=patient)
    yield ctx.call_activity(stock, input=order, retry_policy=patient)
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
