import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  account: string;
  balance: number;
  amount: number;
}

const dapr = new DaprClient();

// [doc]
const setBalance = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.state.save("accounts", [{ key: order.account, value: order.balance - order.amount }]); // want "computed from a snapshot in the input"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(setBalance);
