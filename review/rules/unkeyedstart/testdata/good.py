from dapr.ext.workflow import DaprWorkflowClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


def fulfil(ctx, order):
    yield ctx.call_activity(start_fulfilment, input=order)


# [doc]
@wfr.activity
def start_fulfilment(ctx, order):
    return DaprWorkflowClient().schedule_new_workflow(workflow=fulfil, input=order, instance_id=f"fulfil-{order['id']}")
# [/doc]
