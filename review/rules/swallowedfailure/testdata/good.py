import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def set_status(ctx, order):
    try:
        requests.put(f"https://api.shop.example/orders/{order['id']}", json=order, timeout=10).raise_for_status()
    except Exception as e:
        print("could not set status", e)
        raise
    return "done"
# [/doc]
