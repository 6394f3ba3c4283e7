from openai import OpenAI
import dapr.ext.workflow as wf

wfr = wf.WorkflowRuntime()

client = OpenAI()


# [doc]
@wfr.activity
def summarize(ctx, text):
    return client.responses.create(model="small", input=text).output_text  # want "calls the model again"
# [/doc]
