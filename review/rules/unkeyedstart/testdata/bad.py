from dapr.ext.workflow import DaprWorkflowClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


def fulfil(ctx, order):
    yield ctx.call_activity(start_fulfilment, input=order)


# [doc]
@wfr.activity
def start_fulfilment(ctx, order):
    return DaprWorkflowClient().schedule_new_workflow(workflow=fulfil, input=order)  # want "starts a run without an id of its own"
# [/doc]
