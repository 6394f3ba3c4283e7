import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def export(ctx, order):
    with open("/data/orders.csv", "a") as f:
        f.write(f"{order['id']},{order['total']}\n")  # want "adds to what is there"
# [/doc]
