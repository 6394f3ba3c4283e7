import psycopg
from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def reserve(ctx, order):
    with psycopg.connect("dbname=shop") as conn:
        conn.execute("INSERT INTO reservations (order_id, sku, quantity) VALUES (%s, %s, %s) ON CONFLICT (order_id) DO NOTHING", (order["id"], order["sku"], order["quantity"]))
# [/doc]


@wfr.activity
def set_price(ctx, item):
    with DaprClient() as d:
        d.save_state("prices", item["sku"], str(item["price"]))


@wfr.activity
def left(ctx, order):
    with DaprClient() as d:
        stock = int(d.get_state("stock", order["sku"]).data)
        return stock - order["quantity"]
