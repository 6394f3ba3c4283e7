import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

// [doc]
const pay = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://thirdparty.qonto.com/v2/transfers", order, { headers: { "X-Qonto-Idempotency-Key": order.id } }); // want "remembers the key for"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(pay);
