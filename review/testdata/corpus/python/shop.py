"""Orders of a web shop."""

import hashlib
import json
import logging
import uuid
from datetime import datetime, timedelta, timezone

import psycopg
import requests
from dapr.clients import DaprClient

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()
log = logging.getLogger("shop")
DSN = "dbname=shop"
PAY = "https://api.pay.example/v1"
retry = wf.RetryPolicy(first_retry_interval=timedelta(seconds=2), max_number_of_attempts=4)


@wfr.workflow
def order_flow(ctx, order):
    checked = yield ctx.call_activity(check_credit, input=order, retry_policy=retry)
    if not checked:
        return "rejected"
    yield ctx.call_activity(charge_card, input=order)
    for line in order["lines"]:
        yield ctx.call_activity(label_parcel, input=line)


# corpus: hazard business_rejection,rmw,replay_fails tricky
@wfr.activity
def check_credit(ctx, order):
    with DaprClient() as d:
        limit = int(d.get_state("credit", order["customer"]).data)
        if limit < order["total"]:
            raise ValueError("insufficient credit")
        d.save_state("credit", order["customer"], str(limit - order["total"]))
    return True


# corpus: hazard post_no_key
@wfr.activity
def charge_card(ctx, order):
    response = requests.post(f"{PAY}/payments", json={"amount": order["total"]}, timeout=10)
    response.raise_for_status()
    return response.json()["id"]


# corpus: hazard indistinct_key tricky
@wfr.activity
def label_parcel(ctx, line):
    headers = {"Idempotency-Key": ctx.workflow_id + "-label"}
    requests.post("https://api.parcel.example/labels", json=line, headers=headers, timeout=10).raise_for_status()


# corpus: safe
@wfr.activity
def charge_with_key(ctx, order):
    headers = {"Idempotency-Key": order["payment_key"]}
    response = requests.post(f"{PAY}/payments", json={"amount": order["total"]}, headers=headers, timeout=10)
    response.raise_for_status()
    return response.json()["id"]


# corpus: hazard key_in_body
@wfr.activity
def charge_random(ctx, order):
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    requests.post(f"{PAY}/payments", json=order, headers=headers, timeout=10).raise_for_status()


# corpus: hazard key_in_body tricky
@wfr.activity
def charge_by_minute(ctx, order):
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d%H%M")
    key = hashlib.sha256(f"{order['id']}:{stamp}".encode()).hexdigest()
    requests.post(f"{PAY}/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()


# corpus: safe key_rebuilt tricky
@wfr.activity
def charge_hashed(ctx, order):
    key = hashlib.sha256(f"{order['id']}:{order['total']}".encode()).hexdigest()
    requests.post(f"{PAY}/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()


# corpus: safe tricky
@wfr.activity
def charge_by_execution(ctx, order):
    key = ctx.get_inner_context().task_execution_id
    requests.post(f"{PAY}/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()


# corpus: hazard attempt_key tricky
@wfr.activity
def charge_by_task(ctx, order):
    key = f"{order['id']}-{ctx.task_id}"
    requests.post(f"{PAY}/payments", json=order, headers={"Idempotency-Key": key}, timeout=10).raise_for_status()


# corpus: hazard insert_no_unique
@wfr.activity
def record_order(ctx, order):
    with psycopg.connect(DSN) as conn:
        conn.execute("INSERT INTO orders (customer, total) VALUES (%s, %s)", (order["customer"], order["total"]))


# corpus: safe
@wfr.activity
def record_order_once(ctx, order):
    with psycopg.connect(DSN) as conn:
        conn.execute(
            "INSERT INTO orders (order_id, total) VALUES (%s, %s) ON CONFLICT (order_id) DO UPDATE SET total = EXCLUDED.total",
            (order["id"], order["total"]),
        )


# corpus: hazard counter tricky
@wfr.activity
def count_order(ctx, order):
    with psycopg.connect(DSN) as conn:
        conn.execute(
            "INSERT INTO totals (customer, orders) VALUES (%s, 1) ON CONFLICT (customer) DO UPDATE SET orders = totals.orders + 1",
            (order["customer"],),
        )


# corpus: hazard insert_no_unique,key_in_body tricky
@wfr.activity
def record_with_new_id(ctx, order):
    row_id = str(uuid.uuid4())
    with psycopg.connect(DSN) as conn:
        conn.execute("INSERT INTO shipments (id, order_id) VALUES (%s, %s)", (row_id, order["id"]))
    return row_id


# corpus: safe tricky
@wfr.activity
def record_or_find(ctx, order):
    with psycopg.connect(DSN) as conn:
        try:
            conn.execute("INSERT INTO shipments (order_id) VALUES (%s)", (order["id"],))
        except psycopg.errors.UniqueViolation:
            log.info("shipment of %s is there", order["id"])
    return order["id"]


# corpus: hazard check_then_act,insert_no_unique
@wfr.activity
def reserve_if_free(ctx, order):
    with psycopg.connect(DSN) as conn:
        taken = conn.execute("SELECT 1 FROM seats WHERE seat = %s", (order["seat"],)).fetchone()
        if taken:
            return False
        conn.execute("INSERT INTO seats (seat, order_id) VALUES (%s, %s)", (order["seat"], order["id"]))
        return True


# corpus: hazard crash_window,post_no_key tricky
@wfr.activity
def refund_once(ctx, order):
    with DaprClient() as d:
        if d.get_state("refunds", order["id"]).data:
            return "refunded before"
        refund = requests.post(f"{PAY}/refunds", json={"payment": order["payment"]}, timeout=10).json()
        d.save_state("refunds", order["id"], json.dumps(refund))
        return refund["id"]


# corpus: safe tricky
@wfr.activity
def refund_with_intent(ctx, order):
    with psycopg.connect(DSN) as conn:
        row = conn.execute("SELECT status, refund FROM refunds WHERE order_id = %s", (order["id"],)).fetchone()
        if row and row[0] == "done":
            return row[1]
        if row and row[0] == "pending":
            known = requests.get(f"{PAY}/refunds", params={"reference": order["id"]}, timeout=10).json()
            return known[0]["id"] if known else "unknown"
        conn.execute("INSERT INTO refunds (order_id, status) VALUES (%s, 'pending') ON CONFLICT (order_id) DO NOTHING", (order["id"],))
        conn.commit()
        refund = requests.post(f"{PAY}/refunds", json={"payment": order["payment"], "reference": order["id"]}, timeout=10).json()
        conn.execute("UPDATE refunds SET status = 'done', refund = %s WHERE order_id = %s", (refund["id"], order["id"]))
        return refund["id"]


# corpus: hazard publish_no_id
@wfr.activity
def announce(ctx, order):
    with DaprClient() as d:
        d.publish_event(pubsub_name="bus", topic_name="orders", data=json.dumps(order))


# corpus: safe
@wfr.activity
def announce_with_id(ctx, order):
    with DaprClient() as d:
        d.publish_event("bus", "orders", json.dumps(order), publish_metadata={"cloudevent.id": order["id"]})


# corpus: hazard key_in_body tricky
@wfr.activity
def announce_with_new_id(ctx, order):
    with DaprClient() as d:
        d.publish_event("bus", "orders", json.dumps(order), publish_metadata={"cloudevent.id": str(uuid.uuid4())})


# corpus: hazard counter
@wfr.activity
def add_points(ctx, order):
    with psycopg.connect(DSN) as conn:
        conn.execute("UPDATE customers SET points = points + %s WHERE id = %s", (order["points"], order["customer"]))


# corpus: safe tricky
@wfr.activity
def close_order(ctx, order):
    with psycopg.connect(DSN) as conn:
        conn.execute("UPDATE orders SET status = 'closed', closed_at = %s WHERE id = %s", (datetime.now(timezone.utc), order["id"]))


# corpus: safe
@wfr.activity
def price_of(ctx, order):
    prices = requests.get("https://api.price.example/current", timeout=5).json()
    return sum(prices[line["sku"]] * line["quantity"] for line in order["lines"])


# corpus: safe tricky
@wfr.activity
def new_order_number(ctx, order):
    log.info("numbering %s", order["customer"])
    return {"customer": order["customer"], "number": str(uuid.uuid4())}
