"""A loyalty programme: vouchers, points, partners."""

from datetime import timedelta

import psycopg
from dapr.clients import DaprClient
from dapr.ext.fastapi import DaprApp
from fastapi import FastAPI
from partner_sdk import PartnerClient
from voucher_sdk import VoucherClient

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()
app = FastAPI()
events = DaprApp(app)
vouchers = VoucherClient()
partner_client = PartnerClient()
patient = wf.RetryPolicy(first_retry_interval=timedelta(seconds=5), max_number_of_attempts=4)


@wfr.workflow
def join_programme(ctx, member):
    yield ctx.call_child_workflow(issue_card, input=member, retry_policy=patient)


@wfr.workflow
def issue_card(ctx, member):
    yield ctx.call_activity(order_card, input={"member": member, "key": ctx.instance_id})


# a retried child keeps its instance id in this SDK
# corpus: safe tricky
@wfr.activity
def order_card(ctx, order):
    return partner_client.order_card(order["member"], idempotency_key=order["key"])


# corpus: hazard token_spent
@wfr.activity
def use_voucher(ctx, order):
    receipt = vouchers.redeem(order["voucher"])
    return receipt.value


# corpus: safe
@wfr.activity
def use_voucher_once(ctx, order):
    return vouchers.redeem(order["voucher"], idempotency_key=order["id"]).value


# corpus: hazard token_spent tricky
@wfr.activity
def link_account(ctx, request):
    if not request["code"]:
        return None
    grant = partner_client.exchange_code(request["code"])
    with DaprClient() as dapr:
        dapr.save_state("grants", request["member"], grant.refresh_token)
    return "linked"


# corpus: safe tricky
@wfr.activity
def convert_points(ctx, request):
    rate = partner_client.get_exchange_rate(request["currency"])
    return request["points"] * rate


# corpus: safe tricky
@wfr.activity
def voucher_state(ctx, order):
    return vouchers.is_redeemed(order["voucher"])


# corpus: verify unknown_callee
@wfr.activity
def enroll_member(ctx, member):
    answer = partner_client.enroll(member["email"], tier=member["tier"])
    return answer.number


# corpus: safe tricky
@wfr.activity
def enroll_member_once(ctx, member):
    answer = partner_client.enroll(member["email"], request_id=member["id"])
    return answer.number


# corpus: safe
@wfr.activity
def find_member(ctx, member):
    return partner_client.find_member(member["email"]).number


# corpus: safe repeating_consumer tricky
@wfr.activity
def announce_purchase(ctx, order):
    with DaprClient() as dapr:
        dapr.publish_event("pubsub", "purchases", order["id"], publish_metadata={"cloudevent.id": order["id"]})


# corpus: safe
@wfr.activity
def announce_member(ctx, member):
    with DaprClient() as dapr:
        dapr.publish_event("pubsub", "members", member["id"], publish_metadata={"cloudevent.id": member["id"]})


@events.subscribe(pubsub="pubsub", topic="purchases")
def on_purchase(event):
    with psycopg.connect("dbname=loyalty") as conn:
        conn.execute("UPDATE points SET total = total + 10 WHERE member = %s", (event["member"],))


@events.subscribe(pubsub="pubsub", topic="members")
def on_member(event):
    with psycopg.connect("dbname=loyalty") as conn:
        conn.execute("INSERT INTO members (id) VALUES (%s) ON CONFLICT (id) DO NOTHING", (event["id"],))
