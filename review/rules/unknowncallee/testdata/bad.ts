import { warehouseClient } from "shop-sdk";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
}

// [doc]
const bookPallet = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await warehouseClient.reserve(order.sku, order.quantity); // want "calls something outside the repository"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(bookPallet);
