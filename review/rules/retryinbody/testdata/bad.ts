import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  status: string;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// [doc]
const setStatus = async (_ctx: WorkflowActivityContext, order: Order) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await axios.put(`https://api.shop.example/orders/${order.id}`, order); // want "is retried in the body"
      return "done";
    } catch (e) {
      await sleep(1000 * 2 ** attempt);
    }
  }
  throw new Error("gave up");
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(setStatus);
