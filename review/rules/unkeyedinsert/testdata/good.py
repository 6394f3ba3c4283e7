import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def record_order(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        conn.execute("INSERT INTO orders (order_id, total) VALUES (%s, %s) ON CONFLICT (order_id) DO NOTHING", (order["id"], order["total"]))
# [/doc]


@wfr.activity
def record_once(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        try:
            conn.execute("INSERT INTO orders (order_id, total) VALUES (%s, %s)", (order["id"], order["total"]))
        except psycopg.errors.UniqueViolation:
            return order["id"]
    return order["id"]


@wfr.activity
def find_order(ctx, order_id):
    with psycopg.connect("dbname=shop") as conn:
        return conn.execute("SELECT total FROM orders WHERE order_id = %s", (order_id,)).fetchone()
