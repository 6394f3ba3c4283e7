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
  await dapr.pubsub.publish("pubsub", "orders", order, { metadata: { "cloudevent.id": order.id } }); // want "a subscriber of the topic repeats its work"
};

server.pubsub.subscribe("pubsub", "orders", async (order: Order) => {
  await pool.query("UPDATE totals SET orders = orders + 1");
});
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(announce);
