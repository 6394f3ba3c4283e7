import { promises as fs } from "fs";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const exportOrder = async (_ctx: WorkflowActivityContext, order: Order) => {
  await fs.appendFile("/data/orders.csv", `${order.id},${order.total}\n`); // want "adds to what is there"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(exportOrder);
