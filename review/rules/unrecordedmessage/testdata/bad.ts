import nodemailer from "nodemailer";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  email: string;
}

const mailer = nodemailer.createTransport({ host: "mail.internal" });

// [doc]
const sendReceipt = async (_ctx: WorkflowActivityContext, order: Order) => {
  await mailer.sendMail({ to: order.email, subject: "Receipt", text: "Thank you" }); // want "sends a message without a record or key"
  return "sent";
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(sendReceipt);
