import { Pool } from "pg";
import { createClient } from "redis";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  account: string;
  amount: number;
}

const pool = new Pool();
const redis = createClient();

// [doc]
const credit = async (_ctx: WorkflowActivityContext, payment: Order) => {
  await pool.query("UPDATE accounts SET balance = balance + $1 WHERE id = $2", [payment.amount, payment.account]); // want "changes a value by an amount"
};
// [/doc]

const countPayment = async (_ctx: WorkflowActivityContext, payment: Order) => {
  await redis.incr(`payments:${payment.account}`); // want "changes a value by an amount"
};

export const runtime = new WorkflowRuntime()
  .registerActivity(credit)
  .registerActivity(countPayment);
