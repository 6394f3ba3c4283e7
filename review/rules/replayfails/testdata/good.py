import json
import os
from pathlib import Path

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


@wfr.activity
def write_beside(ctx, report):
    path = Path("/reports") / f"{report['id']}.csv"
    draft = path.with_suffix(".tmp")
    with draft.open("w") as f:
        f.write(report["text"])
    os.replace(draft, path)  # every run writes the draft before it is moved


@wfr.activity
def write_aside(ctx, report):
    path = f"/reports/{report['id']}.csv"
    with open(path + ".tmp", "w") as f:
        json.dump(report, f)
    os.rename(path + ".tmp", path)
