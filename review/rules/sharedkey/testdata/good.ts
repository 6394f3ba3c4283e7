import Stripe from "stripe";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  fee: number;
  seller: string;
  charge?: string;
}

const stripe = new Stripe(process.env.STRIPE_KEY ?? "");

// [doc]
const settle = async (_ctx: WorkflowActivityContext, order: Order) => {
  await stripe.charges.create({ amount: order.total, currency: "eur" }, { idempotencyKey: `${order.id}/charge` });
  await stripe.transfers.create({ amount: order.fee, currency: "eur", destination: order.seller }, { idempotencyKey: `${order.id}/transfer` });
};
// [/doc]

const settleOne = async (_ctx: WorkflowActivityContext, order: Order) => {
  if (order.charge) {
    const refund = await stripe.refunds.create({ charge: order.charge }, { idempotencyKey: order.id });
    return refund.id;
  }
  const charge = await stripe.charges.create({ amount: order.total, currency: "eur" }, { idempotencyKey: order.id });
  return charge.id;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(settle)
  .registerActivity(settleOne);
