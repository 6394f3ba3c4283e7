import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  console.log("charging");
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.id } }); // want "no log line carries the key"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(charge);
