import { voucherClient } from "shop-sdk";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  voucher: string;
}

// [doc]
const useVoucher = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await voucherClient.redeem(order.voucher); // want "uses up a one-time token"
};
// [/doc]

export const runtime = new WorkflowRuntime().registerActivity(useVoucher);
