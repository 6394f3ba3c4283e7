from datetime import timedelta

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=5, non_retryable_error_types=["ValueError"])
    yield ctx.call_activity(check, input=order, retry_policy=retry)  # want "which this SDK's policy does not have"
# [/doc]


@wfr.activity
def check(ctx, order):
    return True
