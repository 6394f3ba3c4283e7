import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const pay = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.stripe.com/v1/transfers", order, { headers: { "Idempotency-Key": order.id } });
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(pay);
