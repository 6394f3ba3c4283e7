from pathlib import Path

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def export(ctx, order):
    with open(f"/data/orders/{order['id']}.csv", "w") as f:
        f.write(f"{order['id']},{order['total']}\n")
# [/doc]


@wfr.activity
def lines(ctx, order):
    out = []
    for item in order["items"]:
        out.append(item["sku"])
    return out


@wfr.activity
def note(ctx, order):
    with (Path("/data") / order["id"]).open("w", encoding="utf-8") as f:
        f.write(f"{order['id']}\n")
