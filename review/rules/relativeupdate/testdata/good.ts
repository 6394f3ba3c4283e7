import { Pool } from "pg";
import { createClient } from "redis";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  account: string;
  amount: number;
  limit: number;
}

const pool = new Pool();
const redis = createClient();

// [doc]
const credit = async (_ctx: WorkflowActivityContext, payment: Order) => {
  await pool.query("INSERT INTO entries (payment_id, account, amount) VALUES ($1, $2, $3) ON CONFLICT (payment_id) DO NOTHING", [payment.id, payment.account, payment.amount]);
};
// [/doc]

const countPayment = async (_ctx: WorkflowActivityContext, payment: Order) => {
  await redis.sAdd(`payments:${payment.account}`, payment.id);
};

const setLimit = async (_ctx: WorkflowActivityContext, payment: Order) => {
  await pool.query("UPDATE accounts SET credit_limit = $1 WHERE id = $2", [payment.limit, payment.account]);
};

export const runtime = new WorkflowRuntime()
  .registerActivity(credit)
  .registerActivity(countPayment)
  .registerActivity(setLimit);
