from shop_sdk import voucher_client
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def use_voucher(ctx, order):
    return voucher_client.redeem(order["voucher"], idempotency_key=order["id"])
# [/doc]


@wfr.activity
def look_up(ctx, order):
    return voucher_client.get(order["voucher"])
