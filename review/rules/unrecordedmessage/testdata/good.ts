import nodemailer from "nodemailer";
import { Pool } from "pg";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  email: string;
}

const mailer = nodemailer.createTransport({ host: "mail.internal" });
const pool = new Pool();

// [doc]
const sendReceipt = async (_ctx: WorkflowActivityContext, order: Order) => {
  const claim = await pool.query("INSERT INTO sent_mail (mail_id) VALUES ($1) ON CONFLICT (mail_id) DO NOTHING", [order.id]);
  if (claim.rowCount === 0) {
    return "sent before";
  }
  await mailer.sendMail({ to: order.email, subject: "Receipt", text: "Thank you" });
  return "sent";
};
// [/doc]

const buildReceipt = async (_ctx: WorkflowActivityContext, order: Order) => {
  return { to: order.email, subject: "Receipt", text: "Thank you" };
};

export const runtime = new WorkflowRuntime()
  .registerActivity(sendReceipt)
  .registerActivity(buildReceipt);
