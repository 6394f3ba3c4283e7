import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def fetch_report(ctx, url):
    return requests.get(url, timeout=60).text  # want "its whole answer is returned"
# [/doc]
