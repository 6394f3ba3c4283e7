// The Inspector CLI and the official TypeScript clients, of both protocol eras,
// list and call every tool of idem-mcp over stdio and over HTTP, get its prompts,
// read its resources and complete names.
//
// Usage: npm ci && BIN=path/to/idem-mcp npm test
// `.ci/run` does that.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { standIn } from "./github.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..");
const bin = path.resolve(process.env.BIN ?? path.join(root, "bin", "idem-mcp"));
const runs = path.join(root, "examples", "runs");
const run = path.join(runs, "s2-04-label-exhausted", "history.ndjson");
const github = await standIn(); // for idem_review_pull_request
process.env.IDEM_MCP_GITHUB_URL = github.url;
const token = "a-token-for-this-test-only";
const scratch = mkdtempSync(path.join(tmpdir(), "inspector-")); // the Inspector writes into its home

// One call of every tool. A tool that is not here fails the test.
const calls = {
  idem_status: {},
  idem_list_runs: { limit: 3 },
  idem_find_duplicates: { run },
  idem_survey: { action: "start" },
  idem_explain_call: { run, call: "CreateShippingLabel" },
  idem_preview_rerun: { run, event: "CreateShippingLabel" },
  idem_reconcile: { key: ["order-42:charge"] },
  idem_read_history: { run, limit: 5 },
  idem_review_code: { language: "python", code: "def charge(ctx, order):\n    requests.post(URL, json=order)\n", symbol: ["charge"] },
  idem_review_pull_request: { pull_request: "shop/orders#7" },
  idem_choose_key: { activity: "ChargeCard", language: "go", provider: "stripe" },
  idem_console_link: { app: "orders", run: "order-42", project: "default" },
  idem_explain: { topic: "IDEM002" },
};

let checks = 0;
function checkTools(who, tools) {
  assert.deepEqual(tools.map((t) => t.name).sort(), Object.keys(calls).sort(), `${who}: tools`);
  for (const t of tools) {
    assert.equal(t.annotations.readOnlyHint, true, `${who}: ${t.name} is read-only`);
    assert.equal(t.annotations.destructiveHint, false, `${who}: ${t.name}`);
    assert.equal(t.inputSchema.additionalProperties, false, `${who}: ${t.name}`);
  }
  checks++;
}
function checkResult(who, name, r) {
  assert.ok(!r.isError, `${who}: ${name}: ${JSON.stringify(r.content)}`);
  assert.equal(typeof r.structuredContent.summary, "string", `${who}: ${name}`);
  assert.equal(r.content[0].type, "text", `${who}: ${name}`);
  assert.ok(r.content[0].text.length > 0, `${who}: ${name}`);
  if (name === "idem_review_pull_request") {
    assert.equal(r.structuredContent.counts.new_hazards, 1, who);
  }
  if (name === "idem_find_duplicates") {
    assert.equal(r.structuredContent.findings[0].kind, "retried_after_unknown_outcome", who);
    assert.equal(r.structuredContent.findings[0].attempts.length, 3, who);
  }
  checks++;
}

// Prompts and resources: what one of each must hold.
const twice = { name: "executed_twice", arguments: { run: "s2-04-label-exhausted" } };
const history = "idem://runs/orders/s2-04-label-exhausted";
function checkPrompt(who, r) {
  const text = r.messages[0].content.text;
  for (const want of ["retried_after_unknown_outcome", "answer of idem_explain_call", "fetched for this question"]) {
    assert.ok(text.includes(want), `${who}: the prompt lacks ${want}`);
  }
  checks++;
}
function checkResource(who, r, want) {
  assert.ok(r.contents[0].text.includes(want), `${who}: ${r.contents[0].uri} lacks ${want}`);
  checks++;
}

async function knowledge(who, client) {
  assert.ok((await client.listPrompts()).prompts.some((p) => p.name === twice.name), `${who}: prompts`);
  checkPrompt(who, await client.getPrompt(twice));
  const listed = (await client.listResources()).resources.map((r) => r.uri);
  for (const uri of ["idem://rules", "idem://rules/IDEM002", "idem://keys", "idem://providers", "idem://terms"]) {
    assert.ok(listed.includes(uri), `${who}: ${uri} is not listed`);
  }
  checkResource(who, await client.readResource({ uri: "idem://keys" }), "natural key");
  const template = (await client.listResourceTemplates()).resourceTemplates.find((t) => t.name === "run");
  checkResource(who, await client.readResource({ uri: history }), "taskScheduled");
  const run = await client.complete({ ref: { type: "ref/resource", uri: template.uriTemplate }, argument: { name: "run", value: "s2-04" }, context: { arguments: { app: "-" } } });
  assert.deepEqual(run.completion.values, ["s2-04-label-exhausted"], `${who}: completion of a run`);
  const workflow = await client.complete({ ref: { type: "ref/prompt", name: twice.name }, argument: { name: "workflow", value: "Ship" } });
  assert.deepEqual(workflow.completion.values, ["ShippingWorkflow"], `${who}: completion of a workflow`);
  await assert.rejects(client.readResource({ uri: "idem://runs/orders/never" }), /idem_list_runs/, `${who}: a run that is not there`);
  checks += 4;
}

async function withClient(who, client, transport) {
  await client.connect(transport);
  try {
    checkTools(who, (await client.listTools()).tools);
    for (const [name, args] of Object.entries(calls)) {
      checkResult(who, name, await client.callTool({ name, arguments: args }));
    }
    const refused = await client.callTool({ name: "idem_list_runs", arguments: { appid: "x" } });
    assert.ok(refused.isError, `${who}: an unknown argument is a tool error`);
    assert.match(refused.content[0].text, /Did you mean "app"/);
    const part = await client.callTool({ name: "idem_find_duplicates", arguments: { run, fields: ["totals"] } });
    assert.deepEqual(Object.keys(part.structuredContent), ["summary", "coverage", "truncated", "totals"], `${who}: fields`);
    checks += 2;
    await knowledge(who, client);
  } finally {
    await client.close();
  }
  console.log(`ok ${who}`);
}

const info = { name: "idem-mcp-client-tests", version: "1.0.0" };
const stdio = { command: bin, args: ["serve", runs], env: { ...process.env } };

async function typescript(url) {
  const headers = { Authorization: `Bearer ${token}` };
  await withClient("sdk 1, stdio", new Client1(info), new Stdio1(stdio));
  await withClient("sdk 1, http", new Client1(info), new HTTP1(new URL(url), { requestInit: { headers } }));
  const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
  await withClient("sdk 2, stdio, legacy", new Client2(info), new Stdio2(stdio));
  await withClient("sdk 2, http, legacy", new Client2(info), new HTTP2(new URL(url), { requestInit: { headers } }));
  await withClient("sdk 2, stdio, 2026-07-28", new Client2(info, modern), new Stdio2(stdio));
  await withClient("sdk 2, http, 2026-07-28", new Client2(info, modern), new HTTP2(new URL(url), { requestInit: { headers } }));
  await assert.rejects(new Client1(info).connect(new HTTP1(new URL(url))), "a client without the token is refused");
  checks++;
}

// The Inspector wants a newer Node than the clients do; it is installed beside it.
const beside = path.join(here, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
const node = existsSync(beside) ? beside : process.execPath;
const launcher = path.join(here, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");

// inspect runs the Inspector CLI, a process a call.
async function inspect(target, ...args) {
  const home = { HOME: scratch, MCP_CATALOG_PATH: path.join(scratch, "mcp.json") };
  const r = await promisify(execFile)(node, [launcher, "--cli", ...args, "--format", "json", ...target],
    { maxBuffer: 16 << 20, timeout: 120_000, env: { ...process.env, ...home } });
  return { ...r, result: JSON.parse(r.stdout).result };
}

// strict has the Inspector look for what some clients cannot read in a tool's
// schema. It complains of one thing: that members of answers are named in
// tools/list and not described, since every byte of it is paid for by every
// conversation; docs/schema describes them.
async function strict(who, target) {
  const { result, stderr } = await inspect(target, "--method", "tools/list", "--strict"); // fails on an error
  const paths = [...stderr.matchAll(/^\s*Path: (.*)$/gm)].map((m) => m[1]);
  const issues = [...stderr.matchAll(/^\s*Issue: (.*)$/gm)].map((m) => m[1]);
  assert.ok(paths.length > 0 && paths.length === issues.length, `${who}: the form of the report is new:\n${stderr}`);
  for (const [i, at] of paths.entries()) {
    assert.match(at, /^outputSchema\.properties\.\w+$/, `${who}: ${at}: ${issues[i]}`);
    assert.match(issues[i], /no validation keyword/, `${who}: ${at}`);
  }
  checkTools(who, result.tools);
  checks++;
}

// load has the Inspector call one tool many times at once.
async function load(who, target) {
  const { result } = await inspect(target, "--method", "tools/call", "--tool-name", "idem_find_duplicates", "--tool-arg", `run=${run}`,
    "--load", "--load-requests", "200", "--load-concurrency", "8");
  assert.deepEqual([result.requests, result.ok, result.toolErrors, result.errors], [200, 200, 0, 0], `${who}: ${JSON.stringify(result)}`);
  checks++;
  console.log(`ok ${who}: ${result.ok} calls, half within ${result.latencyMs.p50} ms, 99 of 100 within ${result.latencyMs.p99} ms`);
}

async function inspector(who, target, names) {
  const ask = async (...args) => (await inspect(target, ...args)).result;
  await strict(who, target);
  for (const name of names) {
    checkResult(who, name, await ask("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(calls[name])));
  }
  checkPrompt(who, await ask("--method", "prompts/get", "--prompt-name", twice.name, "--prompt-args", `run=${twice.arguments.run}`));
  checkResource(who, await ask("--method", "resources/read", "--uri", history), "taskScheduled");
  assert.ok((await ask("--method", "resources/list")).resources.length > 30, `${who}: resources`);
  assert.ok((await ask("--method", "resources/templates/list")).resourceTemplates.some((t) => t.name === "run"), `${who}: templates`);
  checks += 2;
  console.log(`ok ${who}`);
  await load(`${who}, load`, target);
}

// serve starts the HTTP server on a free port and returns its address.
async function serve(env) {
  const child = spawn(bin, ["serve", "--http", "127.0.0.1:0", runs], { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: child.stderr })) {
    const m = line.match(/http:\/\/\S+\/mcp/);
    if (m) return { url: m[0], stop: () => child.kill("SIGTERM") };
  }
  throw new Error("the HTTP server did not start");
}

const open = await serve({ IDEM_MCP_SERVE_LIMITS_PER_MINUTE: "100000" });
const guarded = await serve({ IDEM_MCP_SERVE_TOKEN: token });
try {
  await typescript(guarded.url);
  await inspector("inspector, stdio", ["-e", `IDEM_MCP_GITHUB_URL=${github.url}`, bin, "serve", runs], Object.keys(calls));
  await inspector("inspector, http, 2026-07-28", [open.url, "--transport", "http", "--protocol-era", "modern"], ["idem_status", "idem_find_duplicates"]);
} finally {
  open.stop();
  github.stop();
  guarded.stop();
  rmSync(scratch, { recursive: true });
}
console.log(`${checks} checks passed`);
