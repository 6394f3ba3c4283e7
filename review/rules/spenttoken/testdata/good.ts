import { voucherClient } from "shop-sdk";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  voucher: string;
}

// [doc]
const useVoucher = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await voucherClient.redeem(order.voucher, { idempotencyKey: order.id });
};
// [/doc]

const lookUp = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await voucherClient.get(order.voucher);
};

export const runtime = new WorkflowRuntime()
  .registerActivity(useVoucher)
  .registerActivity(lookUp);
