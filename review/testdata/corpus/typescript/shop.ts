// The order side of a web shop, with Dapr workflow activities.
import { randomUUID } from "crypto";
import { promises as fs } from "fs";
import axios from "axios";
import nodemailer from "nodemailer";
import { Pool } from "pg";
import { createClient } from "redis";
import Stripe from "stripe";
import { DaprClient, WorkflowActivityContext, WorkflowRuntime } from "@dapr/dapr";
import { PrismaClient } from "@prisma/client";

interface Line {
  id: string;
  sku: string;
}

interface Order {
  id: string;
  customer: string;
  email: string;
  sku: string;
  paymentKey: string;
  total: number;
  quantity: number;
  lines: Line[];
}

const dapr = new DaprClient();
const pool = new Pool();
const prisma = new PrismaClient();
const redis = createClient();
const stripe = new Stripe("key");
const mailer = nodemailer.createTransport({ host: "mail.internal" });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// corpus: hazard post_no_key
export const chargeCard = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.pay.example/v1/payments", { total: order.total });
  return response.data.id;
};

// corpus: safe
export const chargeWithKey = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": order.paymentKey } });
  return response.data.id;
};

// corpus: hazard key_in_body
export const chargeRandom = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": randomUUID() } });
  return response.data.id;
};

// corpus: hazard key_in_body tricky
export const chargeByTime = async (ctx: WorkflowActivityContext, order: Order) => {
  const key = `${order.id}-${Date.now()}`;
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } });
  return key;
};

// corpus: hazard attempt_key tricky
export const chargeByActivityId = async (ctx: WorkflowActivityContext, order: Order) => {
  const key = String(ctx.getWorkflowActivityId());
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": key } });
  return key;
};

// corpus: safe key_rebuilt
export const chargeRebuilt = async (ctx: WorkflowActivityContext, order: Order) => {
  await axios.post("https://api.pay.example/v1/payments", order, { headers: { "Idempotency-Key": `charge-${order.id}` } });
  return "charged";
};

// corpus: hazard post_no_key
export const chargeFetch = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await fetch("https://api.pay.example/v1/payments", { method: "POST", body: JSON.stringify(order) });
  return response.status;
};

// corpus: safe
export const chargeStripe = async (ctx: WorkflowActivityContext, order: Order) => {
  const intent = await stripe.paymentIntents.create({ amount: order.total, currency: "eur" }, { idempotencyKey: order.paymentKey });
  return intent.id;
};

// corpus: hazard post_no_key
export const chargeStripeTwice = async (ctx: WorkflowActivityContext, order: Order) => {
  const intent = await stripe.paymentIntents.create({ amount: order.total, currency: "eur" });
  return intent.id;
};

// corpus: hazard insert_no_unique
export const recordOrder = async (ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("INSERT INTO orders (customer, total) VALUES ($1, $2)", [order.customer, order.total]);
  return "recorded";
};

// corpus: safe
export const recordOnce = async (ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("INSERT INTO orders (id, total) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", [order.id, order.total]);
  return "recorded";
};

// corpus: safe tricky
export const recordOrFind = async (ctx: WorkflowActivityContext, order: Order) => {
  try {
    await pool.query("INSERT INTO shipments (order_id) VALUES ($1)", [order.id]);
  } catch (e: any) {
    if (e.code !== "23505") throw e;
  }
  return "recorded";
};

// corpus: hazard insert_no_unique,key_in_body tricky
export const recordNewId = async (ctx: WorkflowActivityContext, order: Order) => {
  const id = randomUUID();
  await pool.query("INSERT INTO shipments (id, order_id) VALUES ($1, $2)", [id, order.id]);
  return id;
};

// corpus: hazard insert_no_unique
export const createRow = async (ctx: WorkflowActivityContext, order: Order) => {
  const row = await prisma.order.create({ data: { customer: order.customer, total: order.total } });
  return row.id;
};

// corpus: safe
export const upsertRow = async (ctx: WorkflowActivityContext, order: Order) => {
  const row = await prisma.order.upsert({ where: { id: order.id }, create: { id: order.id }, update: {} });
  return row.id;
};

// corpus: hazard counter
export const addPointsPrisma = async (ctx: WorkflowActivityContext, order: Order) => {
  await prisma.customer.update({ where: { id: order.customer }, data: { points: { increment: order.total } } });
  return "added";
};

// corpus: hazard counter
export const addPoints = async (ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("UPDATE customers SET points = points + $1 WHERE id = $2", [order.total, order.customer]);
  return "added";
};

// corpus: safe tricky
export const closeOrder = async (ctx: WorkflowActivityContext, order: Order) => {
  await pool.query("UPDATE orders SET status = 'closed', closed_at = $1 WHERE id = $2", [new Date(), order.id]);
  return "closed";
};

// corpus: hazard rmw
export const takeStock = async (ctx: WorkflowActivityContext, order: Order) => {
  const left = Number(await dapr.state.get("stock", order.sku));
  await dapr.state.save("stock", [{ key: order.sku, value: left - order.quantity }]);
  return "taken";
};

// corpus: safe
export const setPrice = async (ctx: WorkflowActivityContext, order: Order) => {
  await dapr.state.save("prices", [{ key: order.sku, value: order.total }]);
  return "set";
};

// corpus: safe tricky
export const stockLeft = async (ctx: WorkflowActivityContext, order: Order) => {
  const left = Number(await dapr.state.get("stock", order.sku));
  return left - order.quantity;
};

// corpus: hazard publish_no_id
export const announce = async (ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("bus", "orders", order);
  return "announced";
};

// corpus: safe
export const announceWithId = async (ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("bus", "orders", order, { metadata: { "cloudevent.id": order.id } });
  return "announced";
};

// corpus: hazard key_in_body tricky
export const announceNewId = async (ctx: WorkflowActivityContext, order: Order) => {
  await dapr.pubsub.publish("bus", "orders", order, { metadata: { "cloudevent.id": randomUUID() } });
  return "announced";
};

// corpus: hazard email_send
export const mailReceipt = async (ctx: WorkflowActivityContext, order: Order) => {
  await mailer.sendMail({ to: order.email, subject: "Receipt", text: "Thank you" });
  return "sent";
};

// corpus: safe
export const storeLabel = async (ctx: WorkflowActivityContext, order: Order) => {
  await fs.writeFile(`/labels/${order.id}.txt`, order.customer);
  return order.id;
};

// corpus: hazard append
export const appendJournal = async (ctx: WorkflowActivityContext, order: Order) => {
  await fs.appendFile("/var/log/orders.csv", `${order.id}\n`);
  return order.id;
};

// corpus: hazard replay_fails
export const removeLabel = async (ctx: WorkflowActivityContext, order: Order) => {
  await fs.unlink(`/labels/${order.id}.txt`);
  return order.id;
};

// corpus: safe
export const removeLabelIfThere = async (ctx: WorkflowActivityContext, order: Order) => {
  await fs.rm(`/labels/${order.id}.txt`, { force: true });
  return order.id;
};

// corpus: hazard check_then_act,insert_no_unique
export const seatIfFree = async (ctx: WorkflowActivityContext, order: Order) => {
  const taken = await pool.query("SELECT 1 FROM seats WHERE sku = $1", [order.sku]);
  if (taken.rowCount > 0) {
    return false;
  }
  await pool.query("INSERT INTO seats (sku, customer) VALUES ($1, $2)", [order.sku, order.customer]);
  return true;
};

// corpus: hazard crash_window,post_no_key tricky
export const refundLookedUp = async (ctx: WorkflowActivityContext, order: Order) => {
  const done = await dapr.state.get("refunds", order.id);
  if (done) {
    return done;
  }
  await axios.post("https://api.pay.example/v1/refunds", { payment: order.paymentKey });
  await dapr.state.save("refunds", [{ key: order.id, value: "refunded" }]);
  return "refunded";
};

// corpus: safe
export const putAddress = async (ctx: WorkflowActivityContext, order: Order) => {
  await axios.put(`https://api.shop.example/orders/${order.id}/address`, order);
  return "set";
};

// corpus: hazard indistinct_key tricky
export const shipLines = async (ctx: WorkflowActivityContext, order: Order) => {
  for (const line of order.lines) {
    await axios.post("https://api.parcel.example/v1/labels", line, { headers: { "Idempotency-Key": order.id } });
  }
  return order.lines.length;
};

// corpus: safe retry_loop
export const patientPut = async (ctx: WorkflowActivityContext, order: Order) => {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      await axios.put(`https://api.shop.example/orders/${order.id}`, order);
      return "set";
    } catch (e) {
      await sleep(1000);
    }
  }
  throw new Error("shop did not answer");
};

// corpus: safe swallow
export const quietPut = async (ctx: WorkflowActivityContext, order: Order) => {
  try {
    await axios.put(`https://api.shop.example/orders/${order.id}`, order);
  } catch (e) {
    console.warn("could not set", e);
  }
  return "ok";
};

// corpus: safe tricky
export const newNumber = async (ctx: WorkflowActivityContext, order: Order) => {
  console.log("numbering", order.customer);
  return `${order.customer}-${randomUUID()}`;
};

// corpus: safe
export const priceOf = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.get(`https://api.price.example/${order.sku}`);
  return response.data.price * order.quantity;
};

// corpus: verify post_reads
export const quote = async (ctx: WorkflowActivityContext, order: Order) => {
  const response = await axios.post("https://api.rates.example/v1/quote", { sku: order.sku });
  return response.data.price;
};

// corpus: safe tricky
export const lockOrder = async (ctx: WorkflowActivityContext, order: Order) => {
  return await redis.set(`lock:${order.id}`, "1", { NX: true });
};

// corpus: hazard counter
export const countOrder = async (ctx: WorkflowActivityContext, order: Order) => {
  return await redis.incr(`orders:${order.customer}`);
};

export function register(runtime: WorkflowRuntime) {
  runtime
    .registerActivity(chargeCard)
    .registerActivity(chargeWithKey)
    .registerActivity(chargeRandom)
    .registerActivity(chargeByTime)
    .registerActivity(chargeByActivityId)
    .registerActivity(chargeRebuilt)
    .registerActivity(chargeFetch)
    .registerActivity(chargeStripe)
    .registerActivity(chargeStripeTwice)
    .registerActivity(recordOrder)
    .registerActivity(recordOnce)
    .registerActivity(recordOrFind)
    .registerActivity(recordNewId)
    .registerActivity(createRow)
    .registerActivity(upsertRow)
    .registerActivity(addPointsPrisma)
    .registerActivity(addPoints)
    .registerActivity(closeOrder)
    .registerActivity(takeStock)
    .registerActivity(setPrice)
    .registerActivity(stockLeft)
    .registerActivity(announce)
    .registerActivity(announceWithId)
    .registerActivity(announceNewId)
    .registerActivity(mailReceipt)
    .registerActivity(storeLabel)
    .registerActivity(appendJournal)
    .registerActivity(removeLabel)
    .registerActivity(removeLabelIfThere)
    .registerActivity(seatIfFree)
    .registerActivity(refundLookedUp)
    .registerActivity(putAddress)
    .registerActivity(shipLines)
    .registerActivity(patientPut)
    .registerActivity(quietPut)
    .registerActivity(newNumber)
    .registerActivity(priceOf)
    .registerActivity(quote)
    .registerActivity(lockOrder)
    .registerActivity(countOrder);
}
