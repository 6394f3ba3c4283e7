from shop_sdk import warehouse_client
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def book_pallet(ctx, order):
    return warehouse_client.reserve(order["sku"], order["quantity"])  # want "calls something outside the repository"
# [/doc]
