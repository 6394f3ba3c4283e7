import requests
import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def pay(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        row = conn.execute("SELECT status, payment_id FROM payments WHERE order_id = %s", (order["id"],)).fetchone()
        if row and row[0] == "succeeded":
            return row[1]
        if row and row[0] == "pending":
            found = requests.get("https://api.pay.example/v1/payments", params={"reference": order["id"]}, timeout=10).json()
            if found:
                conn.execute("UPDATE payments SET status = 'succeeded', payment_id = %s WHERE order_id = %s", (found[0]["id"], order["id"]))
                return found[0]["id"]
        conn.execute("INSERT INTO payments (order_id, status) VALUES (%s, 'pending') ON CONFLICT (order_id) DO NOTHING", (order["id"],))
        conn.commit()
        r = requests.post("https://api.pay.example/v1/payments", json={"reference": order["id"]}, timeout=10)
        conn.execute("UPDATE payments SET status = 'succeeded', payment_id = %s WHERE order_id = %s", (r.json()["id"], order["id"]))
        return r.json()["id"]
# [/doc]
