from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def book(ctx, order):
    with DaprClient() as d:
        d.save_state("entries", f"{order['account']}/{order['id']}", str(order["amount"]))
# [/doc]


@wfr.activity
def total(ctx, order):
    return order["balance"] - order["amount"]
