import { Pool } from "pg";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
}

const pool = new Pool();

// [doc]
const ship = async (_ctx: WorkflowActivityContext, order: Order) => {
  const done = await pool.query("SELECT 1 FROM shipments WHERE order_id = $1", [order.id]);
  if (done.rows.length > 0) {
    return "shipped before";
  }
  await pool.query("INSERT INTO shipments (order_id) VALUES ($1)", [order.id]); // want "acts after a look whether it was done"
  return "shipped";
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(ship);
