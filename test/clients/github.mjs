// A stand-in for GitHub with one pull request that adds a hazard.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const git = (kind, text) => createHash("sha1").update(`${kind} ${Buffer.byteLength(text)}\0${text}`).digest("hex");
const source = `import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()

@wfr.activity
def charge(ctx, order):
    requests.post("https://api.pay.example/v1/payments", json=order)
`;
const blob = git("blob", source);
const base = git("commit", "base");
const head = git("commit", "head");

// standIn serves it on a free port; pull is how the tool names the pull request.
export async function standIn() {
  const server = createServer((req, res) => {
    const path = new URL(req.url, "http://x").pathname.replace("/api/v3/repos/shop/orders/", "");
    const repo = { name: "orders", owner: { login: "shop" } };
    const answers = {
      "pulls/7": { number: 7, html_url: `http://${req.headers.host}/shop/orders/pull/7`, changed_files: 1, base: { sha: base, repo }, head: { sha: head, repo } },
      "pulls/7/files": [{ filename: "charge.py", status: "added", sha: blob }],
      [`compare/${base}...${head}`]: { merge_base_commit: { sha: base } },
      [`git/trees/${base}`]: { sha: base, tree: [], truncated: false },
      [`git/trees/${head}`]: { sha: head, truncated: false, tree: [{ path: "charge.py", mode: "100644", type: "blob", sha: blob, size: source.length }] },
    };
    if (path === `git/blobs/${blob}`) return res.end(source);
    res.writeHead(answers[path] ? 200 : 404, { "Content-Type": "application/json" });
    res.end(JSON.stringify(answers[path] ?? { message: "Not Found" }));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
