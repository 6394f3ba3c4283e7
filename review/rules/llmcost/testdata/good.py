from dapr.clients import DaprClient
from openai import OpenAI
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()

client = OpenAI()


# [doc]
@wfr.activity
def summarize(ctx, doc):
    with DaprClient() as d:
        stored = d.get_state("summaries", doc["id"]).data
        if stored:
            return stored
        answer = client.responses.create(model="small", input=doc["text"]).output_text
        d.save_state("summaries", doc["id"], answer)
        return answer
# [/doc]
