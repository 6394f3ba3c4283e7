import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  total: number;
}

const dapr = new DaprClient();

// [doc]
const announce = async (_ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("pubsub", "orders", order, { metadata: { "cloudevent.id": order.id } });
};
// [/doc]

const readTopicName = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await dapr.state.get("config", "topic");
};

export const runtime = new WorkflowRuntime()
  .registerActivity(announce)
  .registerActivity(readTopicName);
