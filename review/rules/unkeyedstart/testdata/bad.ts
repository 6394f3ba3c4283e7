import { DaprWorkflowClient, TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

const workflows = new DaprWorkflowClient();

// [doc]
const startClosing = async (_ctx: WorkflowActivityContext, _day: string) => {
  return await workflows.scheduleNewWorkflow(closeBooks); // want "starts a run without an id of its own"
};
// [/doc]

const startReport = async (_ctx: WorkflowActivityContext, day: string) => {
  return await workflows.scheduleNewWorkflow(report, day); // want "starts a run without an id of its own"
};

const closeBooks: TWorkflow = async function* (ctx: WorkflowContext, day: string) {
  yield ctx.callActivity(startReport, day);
  return day;
};

const report: TWorkflow = async function* (ctx: WorkflowContext, day: string) {
  return day;
};

export const runtime = new WorkflowRuntime()
  .registerWorkflow(closeBooks)
  .registerWorkflow(report)
  .registerActivity(startClosing)
  .registerActivity(startReport);
