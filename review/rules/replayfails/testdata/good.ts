import { promises as fs } from "fs";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

// [doc]
const dropUpload = async (_ctx: WorkflowActivityContext, name: string) => {
  try {
    await fs.unlink(`/uploads/${name}`);
  } catch (e: any) {
    if (e.code !== "ENOENT") throw e; // the first run removed it
  }
};
// [/doc]

const dropDraft = async (_ctx: WorkflowActivityContext, name: string) => {
  await fs.rm(`/drafts/${name}`, { force: true });
};

const writeBeside = async (_ctx: WorkflowActivityContext, report: { id: string; text: string }) => {
  const draft = `/reports/${report.id}.tmp`;
  await fs.writeFile(draft, report.text);
  await fs.rename(draft, `/reports/${report.id}`); // every run writes the draft before it is moved
};

const size = async (_ctx: WorkflowActivityContext, name: string) => {
  const stat = await fs.stat(`/uploads/${name}`);
  return stat.size;
};

export const runtime = new WorkflowRuntime()
  .registerActivity(dropUpload)
  .registerActivity(dropDraft)
  .registerActivity(writeBeside)
  .registerActivity(size);
