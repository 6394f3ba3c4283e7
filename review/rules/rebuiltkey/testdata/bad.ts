import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  customer: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  const key = `charge-${order.customer}-${order.id}`;
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } }); // want "put together in the body"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(charge);
