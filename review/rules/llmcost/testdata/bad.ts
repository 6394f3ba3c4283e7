import OpenAI from "openai";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

const openai = new OpenAI();

// [doc]
const summarize = async (_ctx: WorkflowActivityContext, text: string) => {
  const answer = await openai.responses.create({ model: "small", input: text }); // want "calls the model again"
  return answer.output_text;
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(summarize);
