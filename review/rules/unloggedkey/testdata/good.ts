import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  console.log("charging, key", order.id);
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.id } });
};
// [/doc]

const quiet = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.id } });
};

export const runtime = new WorkflowRuntime()
  .registerActivity(charge)
  .registerActivity(quiet);
