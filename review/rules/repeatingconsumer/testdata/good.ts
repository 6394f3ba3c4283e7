import { Pool } from "pg";
import { DaprClient, DaprServer, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const pool = new Pool();
const dapr = new DaprClient();
const server = new DaprServer();

// [doc]
const announce = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("pubsub", "orders", order, { metadata: { "cloudevent.id": order.id } });
};

server.pubsub.subscribe("pubsub", "orders", async (order: Order) => {
  await pool.query("INSERT INTO seen (order_id, total) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING", [order.id, order.total]);
});
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(announce);
