from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def set_balance(ctx, order):
    with DaprClient() as d:
        d.save_state("accounts", order["account"], str(order["balance"] - order["amount"]))  # want "computed from a snapshot in the input"
# [/doc]
