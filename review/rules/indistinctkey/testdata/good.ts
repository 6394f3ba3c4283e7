import axios from "axios";
import { TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  parcels: { id: string }[];
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// [doc]
const ship = async (_ctx: WorkflowActivityContext, order: Order) => {
  for (const parcel of order.parcels) {
    await axios.post("https://api.ship.example/v1/labels", parcel, { headers: { "Idempotency-Key": `${order.id}/${parcel.id}` } });
  }
};
// [/doc]

const chargeOnce: TWorkflow = async function* (ctx: WorkflowContext, order: Order) {
  yield ctx.callActivity(charge, order);
};

const charge = async (ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": `${ctx.getWorkflowInstanceId()}-charge` } });
};

const chargePatiently = async (_ctx: WorkflowActivityContext, order: Order) => {
  for (let attempt = 0; attempt < 3; attempt++) {
    const response = await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.id } });
    if (response.status === 200) {
      return response.data.id;
    }
    await sleep(1000 * 2 ** attempt);
  }
  throw new Error("payment did not answer");
};

export const runtime = new WorkflowRuntime()
  .registerWorkflow(chargeOnce)
  .registerActivity(ship)
  .registerActivity(charge)
  .registerActivity(chargePatiently);
