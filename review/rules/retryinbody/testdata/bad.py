import time

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def set_status(ctx, order):
    for attempt in range(5):
        try:
            requests.put(f"https://api.shop.example/orders/{order['id']}", json=order, timeout=10).raise_for_status()  # want "is retried in the body"
            return "done"
        except requests.RequestException:
            time.sleep(2**attempt)
    raise RuntimeError("gave up")
# [/doc]
