import { promises as fs } from "fs";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  skus: string[];
}

// [doc]
const exportOrder = async (_ctx: WorkflowActivityContext, order: Order) => {
  await fs.writeFile(`/data/orders/${order.id}.csv`, `${order.id},${order.total}\n`);
};
// [/doc]

const lines = async (_ctx: WorkflowActivityContext, order: Order) => {
  const out: string[] = [];
  for (const sku of order.skus) {
    out.push(sku.toUpperCase());
  }
  return out;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(exportOrder)
  .registerActivity(lines);
