import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def credit(ctx, payment):
    with psycopg.connect("dbname=bank") as conn:
        conn.execute("INSERT INTO entries (payment_id, account, amount) VALUES (%s, %s, %s) ON CONFLICT (payment_id) DO NOTHING", (payment["id"], payment["account"], payment["amount"]))
# [/doc]


@wfr.activity
def set_limit(ctx, account):
    with psycopg.connect("dbname=bank") as conn:
        conn.execute("UPDATE accounts SET credit_limit = %s WHERE id = %s", (account["limit"], account["id"]))
