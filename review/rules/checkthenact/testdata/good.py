import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def ship(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        if conn.execute("SELECT 1 FROM shipments WHERE order_id = %s", (order["id"],)).fetchone():
            return "shipped before"  # a shortcut
        conn.execute("INSERT INTO shipments (order_id) VALUES (%s) ON CONFLICT (order_id) DO NOTHING", (order["id"],))
# [/doc]


@wfr.activity
def look(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        return bool(conn.execute("SELECT 1 FROM shipments WHERE order_id = %s", (order["id"],)).fetchone())
