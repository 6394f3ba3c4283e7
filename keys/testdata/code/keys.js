import { randomBytes } from "node:crypto";
import { WorkflowRuntime } from "@dapr/dapr";

// [activity]
const chargeCard = async (ctx, payment) => {
  const response = await fetch("https://api.pay.example/v1/payments", {
    method: "POST",
    headers: { "Idempotency-Key": payment.key, "Content-Type": "application/json" },
    body: JSON.stringify(payment),
  });
  if (!response.ok) throw new Error(`payment: ${response.status}`);
  return (await response.json()).id;
};
// [/activity]

async function* orderWorkflow(ctx, order) {
  let payment;
  // [natural]
  payment = { key: `${order.id}:charge`, amount: order.amount };
  yield ctx.callActivity(chargeCard, payment);
  // [/natural]
  // [step]
  payment = { key: `${ctx.getWorkflowInstanceId()}:charge-card`, amount: order.amount };
  yield ctx.callActivity(chargeCard, payment);
  // [/step]
  // [loop]
  for (const [i, line] of order.lines.entries()) { // a step name for every turn; better the item's own id
    const payment = { key: `${ctx.getWorkflowInstanceId()}:charge-card:${i}`, amount: line.amount };
    yield ctx.callActivity(chargeCard, payment);
  }
  // [/loop]
  // [parent]
  // In the parent: the child gets the key, so a retried child has the same.
  const child = { key: `${ctx.getWorkflowInstanceId()}:charge-card`, amount: order.amount };
  yield ctx.callChildWorkflow(payWorkflow, child);
  // [/parent]
}

async function* payWorkflow(ctx, payment) {
  yield ctx.callActivity(chargeCard, payment);
}

// [log]
// A log message that idem-mcp reads as it is.
function idemLine(event, activity, body, instance, key, outcome = "") {
  return `idem event=${event} activity=${activity} body=${body}` + word("instance", instance) + word("key", key) + word("outcome", outcome);
}

function word(name, value) {
  if (!value) return "";
  return ` ${name}=${/[\s="\\]/.test(value) ? JSON.stringify(value) : value}`;
}

// A new one in every body: it tells bodies apart and is no key.
const bodyId = () => randomBytes(4).toString("hex");
// [/log]

// [logged]
const chargeCardLogged = async (ctx, payment) => {
  const body = bodyId();
  const instance = ctx.getWorkflowInstanceId();
  console.log(idemLine("start", "ChargeCard", body, instance, payment.key));
  try {
    const result = await charge(payment);
    console.log(idemLine("effect", "ChargeCard", body, instance, payment.key));
    console.log(idemLine("end", "ChargeCard", body, instance, payment.key, "ok"));
    return result;
  } catch (e) {
    console.log(idemLine("end", "ChargeCard", body, instance, payment.key, "error"));
    throw e;
  }
};
// [/logged]

async function charge(payment) {
  const response = await fetch("https://api.pay.example/v1/payments", {
    method: "POST",
    headers: { "Idempotency-Key": payment.key, "Content-Type": "application/json" },
    body: JSON.stringify(payment),
  });
  if (!response.ok) throw new Error(`payment: ${response.status}`);
  return (await response.json()).id;
}

export const runtime = new WorkflowRuntime()
  .registerWorkflow(orderWorkflow)
  .registerWorkflow(payWorkflow)
  .registerActivity(chargeCard)
  .registerActivity(chargeCardLogged);
