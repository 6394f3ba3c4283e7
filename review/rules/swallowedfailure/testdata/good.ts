import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  status: string;
}

// [doc]
const setStatus = async (_ctx: WorkflowActivityContext, order: Order) => {
  try {
    await axios.put(`https://api.shop.example/orders/${order.id}`, order);
  } catch (e) {
    console.warn("could not set status", e);
    throw e;
  }
  return "done";
};
// [/doc]

const readStatus = async (_ctx: WorkflowActivityContext, order: Order) => {
  try {
    const response = await axios.get(`https://api.shop.example/orders/${order.id}`);
    return response.data.status;
  } catch (e) {
    return "unknown";
  }
};

export const runtime = new WorkflowRuntime()
  .registerActivity(setStatus)
  .registerActivity(readStatus);
