import axios from "axios";
import { v4, v5 } from "uuid";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  const key = v5(order.id, v5.URL);
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } });
};
// [/doc]

const newTrace = async (_ctx: WorkflowActivityContext, order: Order) => {
  return { order: order.id, trace: v4() };
};

export const runtime = new WorkflowRuntime()
  .registerActivity(charge)
  .registerActivity(newTrace);
