from datetime import timedelta

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=10), max_number_of_attempts=20, backoff_coefficient=2, max_retry_interval=timedelta(minutes=10))


@wfr.workflow
def payout(ctx, order):
    yield ctx.call_activity(pay, input=order, retry_policy=retry)


@wfr.activity
def pay(ctx, order):
    requests.post("https://api.stripe.com/v1/transfers", json=order, headers={"Idempotency-Key": order["id"]}, timeout=10).raise_for_status()
# [/doc]
