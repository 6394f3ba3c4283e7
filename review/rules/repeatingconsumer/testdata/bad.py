from dapr.clients import DaprClient
from dapr.ext.grpc import App
import psycopg
from cloudevents.sdk.event import v1
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


app = App()


# [doc]
@wfr.activity
def announce(ctx, order):
    with DaprClient() as d:
        d.publish_event("pubsub", "orders", order["id"], publish_metadata={"cloudevent.id": order["id"]})  # want "a subscriber of the topic repeats its work"


@app.subscribe(pubsub_name="pubsub", topic="orders")
def on_order(event: v1.Event) -> None:
    with psycopg.connect("dbname=stats") as conn:
        conn.execute("UPDATE totals SET orders = orders + 1")
# [/doc]
