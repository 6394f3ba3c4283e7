import os

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
