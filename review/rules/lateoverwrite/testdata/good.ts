import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  account: string;
  balance: number;
  amount: number;
}

const dapr = new DaprClient();

// [doc]
const book = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.state.save("entries", [{ key: `${order.account}/${order.id}`, value: order.amount }]);
};
// [/doc]

const total = async (_ctx: WorkflowActivityContext, order: Order) => {
  return order.balance - order.amount;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(book)
  .registerActivity(total);
