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
  const { rows } = await pool.query("SELECT status, payment_id FROM payments WHERE order_id = $1", [order.id]);
  if (rows.length > 0 && rows[0].status === "succeeded") {
    return rows[0].payment_id;
  }
  if (rows.length > 0 && rows[0].status === "pending") {
    const found = await axios.get("https://api.pay.example/v1/payments", { params: { reference: order.id } });
    if (found.data.length > 0) {
      await pool.query("UPDATE payments SET status = 'succeeded', payment_id = $2 WHERE order_id = $1", [order.id, found.data[0].id]);
      return found.data[0].id;
    }
  }
  await pool.query("INSERT INTO payments (order_id, status) VALUES ($1, 'pending') ON CONFLICT (order_id) DO NOTHING", [order.id]);
  const response = await axios.post("https://api.pay.example/v1/payments", { reference: order.id, total: order.total });
  await pool.query("UPDATE payments SET status = 'succeeded', payment_id = $2 WHERE order_id = $1", [order.id, response.data.id]);
  return response.data.id;
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(pay);
