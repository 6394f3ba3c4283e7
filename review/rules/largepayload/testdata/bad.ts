import axios from "axios";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

// [doc]
const fetchReport = async (_ctx: WorkflowActivityContext, url: string) => {
  const response = await fetch(url); // want "its whole answer is returned"
  return await response.text();
};
// [/doc]

const downloadReport = async (_ctx: WorkflowActivityContext, url: string) => {
  const response = await axios.get(url, { responseType: "text" }); // want "its whole answer is returned"
  return response.data;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(fetchReport)
  .registerActivity(downloadReport);
