import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.workflow
def order_flow(ctx, order):
    yield ctx.call_activity(tell, input=order)


@wfr.activity
def tell(ctx, order):
    requests.put(f"https://hooks.example/started/{order['id']}", json=order, timeout=10).raise_for_status()
# [/doc]
