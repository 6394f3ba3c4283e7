import dapr.ext.workflow as wf
import stripe

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def settle(ctx, order):
    stripe.Charge.create(amount=order["total"], idempotency_key=f"{order['id']}/charge")
    stripe.Transfer.create(amount=order["fee"], destination=order["seller"], idempotency_key=f"{order['id']}/transfer")
# [/doc]


@wfr.activity
def settle_one(ctx, order):
    if order["refund"]:
        return stripe.Refund.create(charge=order["charge"], idempotency_key=order["id"]).id
    return stripe.Charge.create(amount=order["total"], idempotency_key=order["id"]).id
