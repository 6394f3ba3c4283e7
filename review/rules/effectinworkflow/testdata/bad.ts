import axios from "axios";
import { TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const orderFlow: TWorkflow = async function* (ctx: WorkflowContext, order: Order) {
  await axios.post("https://hooks.example/started", order); // want "every replay acts again"
  return yield ctx.callActivity(check, order);
};
// [/doc]

const check = async (_ctx: WorkflowActivityContext, order: Order) => {
  return order.total > 0;
};

export const runtime = new WorkflowRuntime()
  .registerWorkflow(orderFlow)
  .registerActivity(check);
