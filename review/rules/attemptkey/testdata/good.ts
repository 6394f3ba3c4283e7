import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (ctx: WorkflowActivityContext, order: Order) => {
  console.log("charging with", order.id, "activity", ctx.getWorkflowActivityId());
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.id } });
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(charge);
