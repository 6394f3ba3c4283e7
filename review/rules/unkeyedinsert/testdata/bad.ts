import { Pool } from "pg";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const pool = new Pool();

// [doc]
const recordOrder = async (_ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("INSERT INTO orders (order_id, total) VALUES ($1, $2)", [order.id, order.total]); // want "inserts a row without a condition"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(recordOrder);
