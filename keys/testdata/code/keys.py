import json
import logging
import re
import secrets

import requests
import dapr.ext.workflow as wf

log = logging.getLogger(__name__)
wfr = wf.WorkflowRuntime()


# [activity]
@wfr.activity(name="ChargeCard")
def charge_card(ctx: wf.WorkflowActivityContext, payment: dict) -> str:
    response = requests.post(
        "https://api.pay.example/v1/payments",
        json=payment,
        headers={"Idempotency-Key": payment["key"]},
        timeout=10,
    )
    response.raise_for_status()
    return response.json()["id"]
# [/activity]


@wfr.workflow(name="OrderWorkflow")
def order_workflow(ctx: wf.DaprWorkflowContext, order: dict):
    # [natural]
    payment = {"key": f"{order['id']}:charge", "amount": order["amount"]}
    yield ctx.call_activity(charge_card, input=payment)
    # [/natural]
    # [step]
    payment = {"key": f"{ctx.instance_id}:charge-card", "amount": order["amount"]}
    yield ctx.call_activity(charge_card, input=payment)
    # [/step]
    # [loop]
    for i, line in enumerate(order["lines"]):  # a step name for every turn; better the item's own id
        payment = {"key": f"{ctx.instance_id}:charge-card:{i}", "amount": line["amount"]}
        yield ctx.call_activity(charge_card, input=payment)
    # [/loop]
    # [parent]
    # In the parent: the child gets the key, so a retried child has the same.
    child = {"key": f"{ctx.instance_id}:charge-card", "amount": order["amount"]}
    yield ctx.call_child_workflow(pay_workflow, input=child)
    # [/parent]


@wfr.workflow(name="PayWorkflow")
def pay_workflow(ctx: wf.DaprWorkflowContext, payment: dict):
    yield ctx.call_activity(charge_card, input=payment)


# [execution_id]
@wfr.activity(name="ChargeCardByExecutionId")
def charge_card_by_execution_id(ctx: wf.WorkflowActivityContext, payment: dict) -> str:
    key = ctx.get_inner_context().task_execution_id + ":charge"
    response = requests.post(
        "https://api.pay.example/v1/payments",
        json=payment,
        headers={"Idempotency-Key": key},
        timeout=10,
    )
    response.raise_for_status()
    return response.json()["id"]
# [/execution_id]


# [log]
def idem_line(event: str, activity: str, body: str, instance: str, execution_id: str, key: str, outcome: str = "") -> str:
    """A log message that idem-mcp reads as it is."""
    return f"idem event={event} activity={activity} body={body}" + word("instance", instance) + word("execution_id", execution_id) + word("key", key) + word("outcome", outcome)


def word(name: str, value: str) -> str:
    if not value:
        return ""
    if re.search(r'[\s="\\]', value):
        value = json.dumps(value, ensure_ascii=False)
    return f" {name}={value}"


def body_id() -> str:  # a new one in every body: it tells bodies apart and is no key
    return secrets.token_hex(4)
# [/log]


# [logged]
@wfr.activity(name="ChargeCardLogged")
def charge_card_logged(ctx: wf.WorkflowActivityContext, payment: dict) -> str:
    body, execution = body_id(), ctx.get_inner_context().task_execution_id
    log.info(idem_line("start", "ChargeCard", body, ctx.workflow_id, execution, payment["key"]))
    try:
        result = charge(payment)
        log.info(idem_line("effect", "ChargeCard", body, ctx.workflow_id, execution, payment["key"]))
    except Exception:
        log.info(idem_line("end", "ChargeCard", body, ctx.workflow_id, execution, payment["key"], "error"))
        raise
    log.info(idem_line("end", "ChargeCard", body, ctx.workflow_id, execution, payment["key"], "ok"))
    return result
# [/logged]


def charge(payment: dict) -> str:
    response = requests.post(
        "https://api.pay.example/v1/payments",
        json=payment,
        headers={"Idempotency-Key": payment["key"]},
        timeout=10,
    )
    response.raise_for_status()
    return response.json()["id"]
