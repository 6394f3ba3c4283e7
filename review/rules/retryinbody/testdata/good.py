import time

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def set_status(ctx, order):
    requests.put(f"https://api.shop.example/orders/{order['id']}", json=order, timeout=10).raise_for_status()
    return "done"
# [/doc]


@wfr.activity
def wait_for(ctx, job):
    while True:
        if requests.get(f"https://jobs.example/{job}", timeout=10).json()["done"]:
            return True
        time.sleep(5)
