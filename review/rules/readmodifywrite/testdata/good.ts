import { Pool } from "pg";
import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
  price: number;
}

const pool = new Pool();
const dapr = new DaprClient();

// [doc]
const reserve = async (_ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("INSERT INTO reservations (order_id, sku, quantity) VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING", [order.id, order.sku, order.quantity]);
};
// [/doc]

const setPrice = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.state.save("prices", [{ key: order.sku, value: order.price }]);
};

const left = async (_ctx: WorkflowActivityContext, order: Order) => {
  const stock = Number(await dapr.state.get("stock", order.sku));
  return stock - order.quantity;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(reserve)
  .registerActivity(setPrice)
  .registerActivity(left);
