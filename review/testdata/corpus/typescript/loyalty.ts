// A loyalty programme: vouchers, points, partners.
import { DaprClient, DaprServer, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";
import { PartnerClient } from "partner-sdk";
import { Pool } from "pg";
import { voucherClient } from "voucher-sdk";

interface Purchase {
  id: string;
  member: string;
  email: string;
  voucher: string;
  points: number;
}

const dapr = new DaprClient();
const partnerClient = new PartnerClient();
const pool = new Pool();

// corpus: hazard token_spent
export const useVoucher = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  const receipt = await voucherClient.redeem(purchase.voucher);
  return receipt.value;
};

// corpus: safe
export const useVoucherOnce = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  const receipt = await voucherClient.redeem(purchase.voucher, { idempotencyKey: purchase.id });
  return receipt.value;
};

// corpus: hazard token_spent tricky
export const linkAccount = async (_ctx: WorkflowActivityContext, request: { member: string; code: string }) => {
  const grant = await partnerClient.exchangeCode(request.code);
  await dapr.state.save("grants", [{ key: request.member, value: grant.refreshToken }]);
  return "linked";
};

// corpus: safe tricky
export const convertPoints = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  const rate = await partnerClient.getExchangeRate("EUR");
  return purchase.points * rate;
};

// corpus: safe tricky
export const voucherState = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  return await voucherClient.isRedeemed(purchase.voucher);
};

// corpus: verify unknown_callee
export const enrollMember = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  const answer = await partnerClient.enroll({ email: purchase.email, tier: "silver" });
  return answer.number;
};

// corpus: safe tricky
export const enrollMemberOnce = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  const answer = await partnerClient.enroll({ email: purchase.email, requestId: purchase.member });
  return answer.number;
};

// corpus: safe
export const findMember = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  return await partnerClient.findMember(purchase.email);
};

// corpus: safe repeating_consumer tricky
export const announcePurchase = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  await dapr.pubsub.publish("pubsub", "purchases", purchase, { metadata: { "cloudevent.id": purchase.id } });
  return purchase.id;
};

// corpus: safe
export const announceMember = async (_ctx: WorkflowActivityContext, purchase: Purchase) => {
  await dapr.pubsub.publish("pubsub", "members", { id: purchase.member }, { metadata: { "cloudevent.id": purchase.member } });
  return purchase.member;
};

export async function listen() {
  const server = new DaprServer();
  await server.pubsub.subscribe("pubsub", "purchases", async (event: Purchase) => {
    await pool.query("UPDATE points SET total = total + 10 WHERE member = $1", [event.member]);
  });
  await server.pubsub.subscribe("pubsub", "members", async (event: { id: string }) => {
    await pool.query("INSERT INTO members (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [event.id]);
  });
  await server.start();
}

export const runtime = new WorkflowRuntime()
  .registerActivity(useVoucher)
  .registerActivity(useVoucherOnce)
  .registerActivity(linkAccount)
  .registerActivity(convertPoints)
  .registerActivity(voucherState)
  .registerActivity(enrollMember)
  .registerActivity(enrollMemberOnce)
  .registerActivity(findMember)
  .registerActivity(announcePurchase)
  .registerActivity(announceMember);
