import logging

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def charge(ctx, order):
    logging.info("charging")
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": order["id"]}, timeout=10).raise_for_status()  # want "no log line carries the key"
# [/doc]
