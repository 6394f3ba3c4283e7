import axios from "axios";
import { Pool } from "pg";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const pool = new Pool();

// [doc]
const pay = async (_ctx: WorkflowActivityContext, order: Order) => {
  const done = await pool.query("SELECT payment_id FROM payments WHERE order_id = $1", [order.id]);
  if (done.rows.length > 0) {
    return done.rows[0].payment_id;
  }
  const response = await axios.post("https://api.pay.example/v1/payments", order); // want "records it only afterwards"
  await pool.query("INSERT INTO payments (order_id, payment_id) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING", [order.id, response.data.id]);
  return response.data.id;
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(pay);
