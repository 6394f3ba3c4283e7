from dapr.clients import DaprClient
import dapr.ext.workflow as wf
import requests

wfr = wf.WorkflowRuntime()


# [doc]
@wfr.activity
def fetch_report(ctx, report):
    text = requests.get(report["url"], timeout=60).text
    with DaprClient() as d:
        d.save_state("reports", report["id"], text)
    return report["id"]
# [/doc]


@wfr.activity
def fetch_status(ctx, url):
    return requests.get(url, timeout=60).status_code
