import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  status: string;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// [doc]
const setStatus = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.put(`https://api.shop.example/orders/${order.id}`, order);
  return "done";
};
// [/doc]

const waitFor = async (_ctx: WorkflowActivityContext, job: string) => {
  for (;;) {
    const response = await axios.get(`https://jobs.example/${job}`);
    if (response.data.done) {
      return true;
    }
    await sleep(5000);
  }
};

export const runtime = new WorkflowRuntime()
  .registerActivity(setStatus)
  .registerActivity(waitFor);
