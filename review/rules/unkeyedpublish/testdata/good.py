from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def announce(ctx, order):
    with DaprClient() as d:
        d.publish_event("pubsub", "orders", order["id"], publish_metadata={"cloudevent.id": order["id"]})
# [/doc]


@wfr.activity
def read_topic_name(ctx, order):
    with DaprClient() as d:
        return d.get_state("config", "topic").data
