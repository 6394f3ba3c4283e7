import axios from "axios";
import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

const dapr = new DaprClient();

// [doc]
const fetchReport = async (_ctx: WorkflowActivityContext, report: { id: string; url: string }) => {
  const response = await fetch(report.url);
  await dapr.state.save("reports", [{ key: report.id, value: await response.text() }]);
  return report.id;
};
// [/doc]

const fetchStatus = async (_ctx: WorkflowActivityContext, url: string) => {
  const response = await axios.head(url);
  return response.status;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(fetchReport)
  .registerActivity(fetchStatus);
