import { warehouseClient } from "shop-sdk";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
}

// [doc]
const bookPallet = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await warehouseClient.reserve(order.sku, order.quantity, { idempotencyKey: order.id });
};
// [/doc]

const look = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await warehouseClient.getStock(order.sku);
};

export const runtime = new WorkflowRuntime()
  .registerActivity(bookPallet)
  .registerActivity(look);
