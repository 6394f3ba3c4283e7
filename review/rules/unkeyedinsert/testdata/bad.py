import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def record_order(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        conn.execute("INSERT INTO orders (order_id, total) VALUES (%s, %s)", (order["id"], order["total"]))  # want "inserts a row without a condition"
# [/doc]
