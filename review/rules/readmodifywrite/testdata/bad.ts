import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
}

const dapr = new DaprClient();

// [doc]
const reserve = async (_ctx: WorkflowActivityContext, order: Order) => {
  const stock = Number(await dapr.state.get("stock", order.sku));
  await dapr.state.save("stock", [{ key: order.sku, value: stock - order.quantity }]); // want "writes a value computed from what it read before"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(reserve);
