import os

from azure.storage.blob import BlobServiceClient
from dapr.clients import DaprClient
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def drop_upload(ctx, name):
    os.remove(f"/uploads/{name}")  # want "fails when the thing is already gone"
# [/doc]


@wfr.activity
def take(ctx, order):
    with DaprClient() as d:
        stock = int(d.get_state("stock", order["sku"]).data)
        if stock < order["quantity"]:
            raise ValueError("out of stock")  # want "a second run may fail although the first succeeded"
        d.save_state("stock", order["sku"], str(stock - order["quantity"]))


@wfr.activity
def store(ctx, report):
    service = BlobServiceClient.from_connection_string(os.environ["STORAGE"])
    service.get_blob_client("reports", report["id"]).upload_blob(report["text"])  # want "fails when the thing is already there"
