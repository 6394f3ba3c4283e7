import axios from "axios";
import Stripe from "stripe";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  fee: number;
  seller: string;
}

const stripe = new Stripe(process.env.STRIPE_KEY ?? "");

// [doc]
const settle = async (_ctx: WorkflowActivityContext, order: Order) => {
  await stripe.charges.create({ amount: order.total, currency: "eur" }, { idempotencyKey: order.id });
  await stripe.transfers.create({ amount: order.fee, currency: "eur", destination: order.seller }, { idempotencyKey: order.id }); // want "carries the key of another operation"
};
// [/doc]

const settleByHttp = async (_ctx: WorkflowActivityContext, order: Order) => {
  const headers = { "Idempotency-Key": order.id };
  await axios.post("https://api.pay.example/v1/payments", order, { headers });
  await axios.post("https://api.pay.example/v1/transfers", order, { headers }); // want "carries the key of another operation"
};

export const runtime = new WorkflowRuntime()
  .registerActivity(settle)
  .registerActivity(settleByHttp);
