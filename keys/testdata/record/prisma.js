import { PrismaClient } from "@prisma/client";
import { WorkflowRuntime } from "@dapr/dapr";

const prisma = new PrismaClient();
const MAILER = "https://mail.internal.example/messages";

// [table]
// schema.prisma:
// model IntentRecord {
//   key        String  @id
//   status     String  // pending, succeeded, failed
//   reference  String  // what the provider can be searched for
//   providerId String? @map("provider_id")
//   failure    String?
//   transient  Boolean @default(false)
//   @@map("intent_record")
// }
// [/table]

// [write]
const sendInvoice = async (ctx, invoice) => {
  const claimed = await prisma.intentRecord.createMany({
    data: [{ key: invoice.key, status: "pending", reference: invoice.number }],
    skipDuplicates: true, // PostgreSQL and MySQL; not SQLite
  });
  if (claimed.count === 0) { // a repeat
    const record = await prisma.intentRecord.findUnique({ where: { key: invoice.key } });
    if (record.status === "pending") return reconcile(invoice); // ask the provider; never send again
    if (record.status === "failed") throw new Error(record.failure);
    return record.providerId;
  }
  const response = await fetch(MAILER, { method: "POST", body: JSON.stringify(invoice) });
  if (!response.ok) throw new Error(`mail: ${response.status}`); // the row stays pending
  const { id } = await response.json();
  await prisma.intentRecord.update({ where: { key: invoice.key }, data: { status: "succeeded", providerId: id } });
  return id;
};
// [/write]

async function reconcile(invoice) {
  const found = await (await fetch(`${MAILER}?reference=${invoice.number}`)).json();
  if (found.length === 0) throw new Error("outcome unknown: a person decides between sending again and not sending");
  await prisma.intentRecord.update({ where: { key: invoice.key }, data: { status: "succeeded", providerId: found[0].id } });
  return found[0].id;
}

export const runtime = new WorkflowRuntime().registerActivity(sendInvoice);
