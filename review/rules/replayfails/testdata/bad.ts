import { promises as fs } from "fs";
import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
}

const dapr = new DaprClient();

// [doc]
const dropUpload = async (_ctx: WorkflowActivityContext, name: string) => {
  await fs.unlink(`/uploads/${name}`); // want "fails when the thing is already gone"
};
// [/doc]

const take = async (_ctx: WorkflowActivityContext, order: Order) => {
  const stock = Number(await dapr.state.get("stock", order.sku));
  if (stock < order.quantity) {
    throw new Error("out of stock"); // want "a second run may fail although the first succeeded"
  }
  await dapr.state.save("stock", [{ key: order.sku, value: stock - order.quantity }]);
};

export const runtime = new WorkflowRuntime()
  .registerActivity(dropUpload)
  .registerActivity(take);
