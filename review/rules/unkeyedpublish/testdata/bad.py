from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def announce(ctx, order):
    with DaprClient() as d:
        d.publish_event("pubsub", "orders", order["id"])  # want "publishes without a message id of its own"
# [/doc]
