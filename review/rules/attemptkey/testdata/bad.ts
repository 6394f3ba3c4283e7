import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (ctx: WorkflowActivityContext, order: Order) => {
  const key = `charge-${ctx.getWorkflowActivityId()}`;
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } }); // want "an id that every attempt gets anew"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(charge);
