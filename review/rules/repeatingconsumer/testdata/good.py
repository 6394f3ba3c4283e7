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
        d.publish_event("pubsub", "orders", order["id"], publish_metadata={"cloudevent.id": order["id"]})


@app.subscribe(pubsub_name="pubsub", topic="orders")
def on_order(event: v1.Event) -> None:
    with psycopg.connect("dbname=stats") as conn:
        conn.execute("INSERT INTO seen (event_id) VALUES (%s) ON CONFLICT (event_id) DO NOTHING", (event.EventID(),))
# [/doc]
