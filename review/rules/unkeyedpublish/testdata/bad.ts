import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const dapr = new DaprClient();

// [doc]
const announce = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("pubsub", "orders", order); // want "publishes without a message id of its own"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(announce);
