import requests
import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def pay(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        done = conn.execute("SELECT payment_id FROM payments WHERE order_id = %s", (order["id"],)).fetchone()
        if done:
            return done[0]
        r = requests.post("https://api.pay.example/v1/payments", json=order, timeout=10)  # want "records it only afterwards"
        conn.execute("INSERT INTO payments (order_id, payment_id) VALUES (%s, %s) ON CONFLICT (order_id) DO NOTHING", (order["id"], r.json()["id"]))
        return r.json()["id"]
# [/doc]
