"""The order side of the shop: the workflow that takes an order, and its worker."""

from datetime import timedelta

import dapr.ext.workflow as wf

from activities import (
    add_loyalty_points,
    charge_card,
    notify_customer,
    record_order,
    refund_card,
    reserve_stock,
)

wfr = wf.WorkflowRuntime()

storage = wf.RetryPolicy(first_retry_interval=timedelta(seconds=1), max_number_of_attempts=3)
remote = wf.RetryPolicy(first_retry_interval=timedelta(seconds=2), max_number_of_attempts=4, backoff_coefficient=2)


@wfr.workflow(name="OrderWorkflow")
def order_workflow(ctx: wf.DaprWorkflowContext, order: dict):
    yield ctx.call_activity(reserve_stock, input=order, retry_policy=storage)
    try:
        yield ctx.call_activity(charge_card, input=order, retry_policy=remote)
    except Exception:
        # A charge that timed out may have gone through.
        yield ctx.call_activity(refund_card, input=order, retry_policy=remote)
        raise
    yield wf.when_all([
        ctx.call_activity(record_order, input=order, retry_policy=storage),
        ctx.call_activity(add_loyalty_points, input=order, retry_policy=storage),
    ])
    yield ctx.call_activity(notify_customer, input=order)
    return order["order_id"]


wfr.register_activity(reserve_stock, name="ReserveStock")
wfr.register_activity(charge_card, name="ChargeCard")
wfr.register_activity(refund_card, name="RefundCard")
wfr.register_activity(record_order, name="RecordOrder")
wfr.register_activity(add_loyalty_points, name="AddLoyaltyPoints")
wfr.register_activity(notify_customer, name="NotifyCustomer")


if __name__ == "__main__":
    wfr.start()
