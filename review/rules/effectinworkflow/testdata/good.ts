import axios from "axios";
import { TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const orderFlow: TWorkflow = async function* (ctx: WorkflowContext, order: Order) {
  yield ctx.callActivity(tell, order);
  return order.id;
};

const tell = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.put(`https://hooks.example/started/${order.id}`, order);
};
// [/doc]

export const runtime = new WorkflowRuntime()
  .registerWorkflow(orderFlow)
  .registerActivity(tell);
