import axios from "axios";
import { warehouseClient } from "shop-sdk";
import { WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";

interface Order {
  id: string;
  sku: string;
  quantity: number;
}

// [doc]
const bookPallet = async (_ctx: WorkflowActivityContext, order: Order) => {
  return await warehouseClient.reserve(order.sku, order.quantity); // want "calls something outside the repository"
};
// [/doc]

const cancelBooking = async (_ctx: WorkflowActivityContext, order: Order) => {
  await axios.post(`https://api.travel.example/bookings/${order.id}/cancel`); // want "moves one thing to a state"
};

export const runtime = new WorkflowRuntime().registerActivity(bookPallet).registerActivity(cancelBooking);
