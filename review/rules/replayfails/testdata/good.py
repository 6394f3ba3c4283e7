import os

from azure.core.exceptions import ResourceExistsError
from azure.storage.blob import BlobServiceClient

import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def drop_upload(ctx, name):
    try:
        os.remove(f"/uploads/{name}")
    except FileNotFoundError:
        pass  # the first run removed it
# [/doc]


@wfr.activity
def size(ctx, name):
    return os.path.getsize(f"/uploads/{name}")


@wfr.activity
def store(ctx, report):
    service = BlobServiceClient.from_connection_string(os.environ["STORAGE"])
    service.get_blob_client("reports", report["id"]).upload_blob(report["text"], overwrite=True)


@wfr.activity
def store_new(ctx, report):
    service = BlobServiceClient.from_connection_string(os.environ["STORAGE"])
    try:
        service.get_blob_client("archive", report["id"]).upload_blob(report["text"])
    except ResourceExistsError:
        return "stored before"
