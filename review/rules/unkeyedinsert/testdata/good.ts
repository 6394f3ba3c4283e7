import { Pool } from "pg";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const pool = new Pool();

// [doc]
const recordOrder = async (_ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("INSERT INTO orders (order_id, total) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING", [order.id, order.total]);
};
// [/doc]

const recordOnce = async (_ctx: WorkflowActivityContext, order: Order) => {
  try {
    await pool.query("INSERT INTO orders (order_id, total) VALUES ($1, $2)", [order.id, order.total]);
  } catch (e: any) {
    if (e.code !== "23505") throw e; // unique_violation: recorded before
  }
  return order.id;
};

const findOrder = async (_ctx: WorkflowActivityContext, order: Order) => {
  const { rows } = await pool.query("SELECT total FROM orders WHERE order_id = $1", [order.id]);
  return rows[0].total;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(recordOrder)
  .registerActivity(recordOnce)
  .registerActivity(findOrder);
