import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  status: string;
}

// [doc]
const setStatus = async (_ctx: WorkflowActivityContext, order: Order) => {
  try {
    await axios.put(`https://api.shop.example/orders/${order.id}`, order); // want "its failure is caught and not raised"
  } catch (e) {
    console.warn("could not set status", e);
  }
  return "done";
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(setStatus);
