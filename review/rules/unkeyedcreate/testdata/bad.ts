import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.pay.example/v1/payments", { amount: order.total }); // want "creates something at another system without a key"
  return response.data.id;
};
// [/doc]

const chargeByFetch = async (_ctx: WorkflowActivityContext, order: Order) => {
  const response = await fetch("https://api.pay.example/v1/payments", { method: "POST", body: JSON.stringify(order) }); // want "creates something at another system without a key"
  return response.status;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(charge)
  .registerActivity(chargeByFetch);
