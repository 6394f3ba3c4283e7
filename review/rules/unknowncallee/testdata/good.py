import requests
from shop_sdk import warehouse_client
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def book_pallet(ctx, order):
    return warehouse_client.reserve(order["sku"], order["quantity"], idempotency_key=order["id"])
# [/doc]


@wfr.activity
def look(ctx, sku):
    return warehouse_client.get_stock(sku)


@wfr.activity
def cancel_booking(ctx, booking):
    requests.post(f"https://api.travel.example/bookings/{booking['id']}/cancel", headers={"Idempotency-Key": booking["key"]}, timeout=30)
