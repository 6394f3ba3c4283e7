from shop_sdk import voucher_client
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def use_voucher(ctx, order):
    return voucher_client.redeem(order["voucher"])  # want "uses up a one-time token"
# [/doc]
