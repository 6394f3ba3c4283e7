import dapr.ext.workflow as wf
import psycopg

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def credit(ctx, payment):
    with psycopg.connect("dbname=bank") as conn:
        conn.execute("UPDATE accounts SET balance = balance + %s WHERE id = %s", (payment["amount"], payment["account"]))  # want "changes a value by an amount"
# [/doc]
