from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def reserve(ctx, order):
    with DaprClient() as d:
        stock = int(d.get_state("stock", order["sku"]).data)
        d.save_state("stock", order["sku"], str(stock - order["quantity"]))  # want "writes a value computed from what it read before"
# [/doc]
