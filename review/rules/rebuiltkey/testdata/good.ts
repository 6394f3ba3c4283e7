import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  paymentKey: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.paymentKey } });
};
// [/doc]

const label = async (_ctx: WorkflowActivityContext, order: Order) => {
  return `charge-${order.id}`;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(charge)
  .registerActivity(label);
