import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  address: string;
}

// [doc]
const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.pay.example/v1/payments", { amount: order.total }, { headers: { "Idempotency-Key": order.id } });
  return response.data.id;
};
// [/doc]

const setAddress = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.put(`https://api.shop.example/orders/${order.id}/address`, { address: order.address });
};

const readPayment = async (_ctx: WorkflowActivityContext, payment: string) => {
  const response = await axios.get(`https://api.pay.example/v1/payments/${payment}`);
  return response.data.status;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(charge)
  .registerActivity(setAddress)
  .registerActivity(readPayment);
