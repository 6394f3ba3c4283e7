import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def ship(ctx, order):
    for parcel in order["parcels"]:
        requests.post("https://api.ship.example/v1/labels", json=parcel, headers={"Idempotency-Key": order["id"]}, timeout=10).raise_for_status()  # want "the same in every turn of the loop"
# [/doc]


@wfr.workflow
def notify_all(ctx, customers):
    for customer in customers:
        yield ctx.call_activity(notify, input=customer)


@wfr.activity
def notify(ctx, customer):
    requests.post("https://api.mail.example/v1/send", json=customer, headers={"Idempotency-Key": f"{ctx.workflow_id}-notify"}, timeout=10).raise_for_status()  # want "schedules this activity in a loop"


@wfr.activity
def charge(ctx, order):
    requests.post("https://api.pay.example/v1/payments", json=order, headers={"Idempotency-Key": "charge"}, timeout=10).raise_for_status()  # want "the key is a constant"
