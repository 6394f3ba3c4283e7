import os
from pathlib import Path

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


@wfr.activity
def take_draft(ctx, report):
    if report["fresh"]:
        with open(f"/drafts/{report['id']}", "w") as f:
            f.write(report["text"])
    os.rename(f"/drafts/{report['id']}", f"/reports/{report['id']}")  # want "fails when the thing is already gone"


@wfr.activity
def drop_draft(ctx, report):
    (Path("/drafts") / report["id"]).unlink()  # want "fails when the thing is already gone"
