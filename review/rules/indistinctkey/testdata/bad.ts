import axios from "axios";
import { TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
  parcels: { id: string }[];
}

// [doc]
const ship = async (_ctx: WorkflowActivityContext, order: Order) => {
  for (const parcel of order.parcels) {
    await axios.post("https://api.ship.example/v1/labels", parcel, { headers: { "Idempotency-Key": order.id } }); // want "the same in every turn of the loop"
  }
};
// [/doc]

const notifyAll: TWorkflow = async function* (ctx: WorkflowContext, customers: string[]) {
  for (const customer of customers) {
    yield ctx.callActivity(notify, customer);
  }
};

const notify = async (ctx: WorkflowActivityContext, customer: string) => {
  await axios.post("https://api.mail.example/v1/send", { to: customer }, { headers: { "Idempotency-Key": `${ctx.getWorkflowInstanceId()}-notify` } }); // want "schedules this activity in a loop"
};

const charge = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": "charge" } }); // want "the key is a constant"
};

export const runtime = new WorkflowRuntime()
  .registerWorkflow(notifyAll)
  .registerActivity(ship)
  .registerActivity(notify)
  .registerActivity(charge);
