import { DaprWorkflowClient, TWorkflow, WorkflowActivityContext, WorkflowContext, WorkflowRuntime } from "@dapr/dapr";

const workflows = new DaprWorkflowClient();

// [doc]
const startClosing = async (_ctx: WorkflowActivityContext, day: string) => {
  return await workflows.scheduleNewWorkflow(closeBooks, day, `close-${day}`);
};
// [/doc]

const startReport = async (_ctx: WorkflowActivityContext, day: string) => {
  return await workflows.scheduleNewWorkflow(report, undefined, `report-${day}`);
};

const progress = async (_ctx: WorkflowActivityContext, day: string) => {
  const state = await workflows.getWorkflowState(`close-${day}`, false);
  return state?.runtimeStatus;
};

const closeBooks: TWorkflow = async function* (ctx: WorkflowContext, day: string) {
  yield ctx.callActivity(startReport, day);
  return day;
};

const report: TWorkflow = async function* (ctx: WorkflowContext, _day: string) {
  return "done";
};

export const runtime = new WorkflowRuntime()
  .registerWorkflow(closeBooks)
  .registerWorkflow(report)
  .registerActivity(startClosing)
  .registerActivity(startReport)
  .registerActivity(progress);
