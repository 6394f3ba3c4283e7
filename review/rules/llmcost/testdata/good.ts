import OpenAI from "openai";
import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

const openai = new OpenAI();
const dapr = new DaprClient();

// [doc]
const summarize = async (_ctx: WorkflowActivityContext, doc: { id: string; text: string }) => {
  const stored = await dapr.state.get("summaries", doc.id);
  if (stored) {
    return stored;
  }
  const answer = await openai.responses.create({ model: "small", input: doc.text });
  await dapr.state.save("summaries", [{ key: doc.id, value: answer.output_text }]);
  return answer.output_text;
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(summarize);
