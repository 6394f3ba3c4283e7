import requests
import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def ship(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        if conn.execute("SELECT 1 FROM shipments WHERE order_id = %s", (order["id"],)).fetchone():
            return "shipped before"
        conn.execute("INSERT INTO shipments (order_id) VALUES (%s)", (order["id"],))  # want "acts after a look whether it was done"
# [/doc]
