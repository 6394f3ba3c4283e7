import axios from "axios";
import { randomUUID } from "crypto";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  const key = randomUUID();
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } }); // want "is made in the body"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(charge);
