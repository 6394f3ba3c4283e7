import requests
from shop_sdk import warehouse_client
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def book_pallet(ctx, order):
    return warehouse_client.reserve(order["sku"], order["quantity"])  # want "calls something outside the repository"
# [/doc]


@wfr.activity
def cancel_booking(ctx, booking):
    requests.post(f"https://api.travel.example/bookings/{booking['id']}/cancel", timeout=30)  # want "moves one thing to a state"
