import time

import requests
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def ship(ctx, order):
    for parcel in order["parcels"]:
        requests.post("https://api.ship.example/v1/labels", json=parcel, headers={"Idempotency-Key": f"{order['id']}/{parcel['id']}"}, timeout=10).raise_for_status()
# [/doc]


@wfr.workflow
def charge_once(ctx, order):
    yield ctx.call_activity(charge, input=order)


@wfr.activity
def charge(ctx, order):
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": f"{ctx.workflow_id}-charge"}, timeout=10).raise_for_status()


@wfr.activity
def charge_patiently(ctx, order):
    for attempt in range(3):
        r = requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": order["id"]}, timeout=10)
        if r.ok:
            return r.json()["id"]
        time.sleep(2**attempt)
    raise RuntimeError("payment did not answer")
