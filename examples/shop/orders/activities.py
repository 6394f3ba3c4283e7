"""What an order does to the world outside the workflow engine."""

import logging
import os

import psycopg
import requests

import gateways

log = logging.getLogger("orders")
DSN = os.environ.get("ORDERS_DSN", "dbname=shop")


def reserve_stock(ctx, order):
    with psycopg.connect(DSN) as db:
        db.execute("UPDATE stock SET available = available - %s WHERE sku = %s", (order["quantity"], order["sku"]))


def charge_card(ctx, order):
    payment = gateways.pay("/payments", {"order": order["order_id"], "amount": order["total"]})
    log.info("order %s charged: %s", order["order_id"], payment["id"])
    return payment["id"]


def refund_card(ctx, order):
    key = f"refund-{order['order_id']}"
    log.info("refund of order %s, key %s", order["order_id"], key)
    return gateways.pay("/refunds", {"order": order["order_id"]}, key=key)["id"]


def record_order(ctx, order):
    with psycopg.connect(DSN) as db:
        db.execute(
            "INSERT INTO orders (order_id, sku, quantity, total) VALUES (%s, %s, %s, %s) ON CONFLICT (order_id) DO NOTHING",
            (order["order_id"], order["sku"], order["quantity"], order["total"]),
        )


def add_loyalty_points(ctx, order):
    with psycopg.connect(DSN) as db:
        db.execute("UPDATE customers SET points = points + %s WHERE email = %s", (order["total"] // 100, order["email"]))


def notify_customer(ctx, order):
    requests.post(
        "https://api.sendgrid.com/v3/mail/send",
        json={"to": order["email"], "subject": f"Your order {order['order_id']}"},
        headers={"Authorization": f"Bearer {os.environ['SENDGRID_KEY']}"},
        timeout=10,
    ).raise_for_status()
