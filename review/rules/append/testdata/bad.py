from pathlib import Path

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def export(ctx, order):
    with open("/data/orders.csv", "a") as f:
        f.write(f"{order['id']},{order['total']}\n")  # want "adds to what is there"
# [/doc]


@wfr.activity
def note(ctx, order):
    with (Path("/data") / "orders.log").open("a", encoding="utf-8") as f:
        f.write(f"{order['id']}\n")  # want "adds to what is there"
