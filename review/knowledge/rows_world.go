package knowledge

// brokers carry events and queue messages.
var brokers = []Row{
	{Lib: "kafka|confluent", Name: "send|produce|sendandwait|sendmessages|publish|produceasync|writemessages|sendmessage|sendbatch", Class: Publish, Provider: "kafka"},
	{Recv: "*kafka*|kafkatemplate", Name: "send|senddefault", Class: Publish, Provider: "kafka"},
	{Lib: "pika|amqp|aio_pika|rabbitmq|amqplib", Name: "basicpublish|publish|sendtoqueue|publishwithcontext|convertandsend", Class: Publish, Provider: "rabbitmq"},
	{Recv: "*rabbit*|*jmstemplate|*amqp*", Name: "convertandsend|send", Class: Publish, Provider: "rabbitmq"},
	{Lib: "boto3|aioboto3|sqs|sns|aws", Name: "sendmessage|sendmessagebatch|publishbatch", Class: Publish, Provider: "sqs"},
	{Lib: "boto3|aioboto3|sns|aws", Recv: "*sns*|*client*|client|topic", Name: "publish", Class: Publish, Provider: "sns"},
	{Lib: "eventbridge|boto3|aioboto3", Name: "putevents|putrecord|putrecords", Class: Publish},
	{Lib: "azure.servicebus|@azure/service-bus|azservicebus|azure.messaging.servicebus|azure.messaging", Name: "sendmessages|sendmessage|schedulemessages|schedulemessage", Class: Publish, Provider: "servicebus"},
	{Recv: "*servicebus*|sender|*sender", Name: "sendmessage|sendmessages", Class: Publish, Provider: "servicebus"},
	{Lib: "eventhub|eventgrid|azure.storage.queue|storage-queue|azqueue|queues", Name: "send|sendbatch|sendevent|sendevents|sendmessage|enqueuemessage", Class: Publish},
	{Lib: "pubsub", Recv: "*publisher*|*topic*|*pubsub*", Name: "publish|publishmessage|publishjson", Class: Publish, Provider: "gcp-pubsub"},
	{Lib: "nats|jetstream", Name: "publish|publishmsg|request|publishasync", Class: Publish, Provider: "jetstream"},
	{Lib: "mqtt|paho", Name: "publish", Class: Publish},
	{Lib: "bull|bullmq|bee-queue", Name: "add|addbulk|createjob", Class: Publish, Provider: "bullmq"},
	{Lib: "celery", Name: "delay|sendtask", Class: Publish},
	{Lib: "rq|arq|dramatiq|huey|django_q|procrastinate|taskiq", Name: "enqueue|enqueuecall|enqueuein|enqueueat|enqueuejob|asynctask|defer|kiq|send|sendwithoptions", Class: Publish},
	{Lib: "masstransit|rebus|nservicebus|mediatr|wolverine", Name: "publish|send", Class: Publish},
	{Lib: "sarama", Recv: "*producer*", Name: "sendmessage|sendmessages|input", Class: Publish, Provider: "kafka"},
	{Lib: "kafkajs|node-rdkafka", Name: "send|sendbatch|produce", Class: Publish, Provider: "kafka"},
	{Lib: "amqplib|amqp-connection-manager|rhea", Name: "publish|sendtoqueue|send", Class: Publish, Provider: "rabbitmq"},
	{Lib: "@google-cloud/pubsub", Name: "publishmessage|publish|publishjson", Class: Publish, Provider: "gcp-pubsub"},
	{Lib: "@google-cloud/tasks", Name: "createtask", Class: Publish, Key: "name"},
	{Lib: "pusher|ably|socket.io|centrifuge", Name: "trigger|publish|emit|triggerbatch", Class: Publish},
	{Recv: "*eventpublisher*|*streambridge*|*eventbus*|*messagebus*", Name: "publishevent|send|publish", Class: Publish},
}

// people are told something: mail, text messages, push, chat.
var people = []Row{
	{Lib: "smtplib|aiosmtplib", Name: "sendmail|sendmessage|send", Class: Message, Provider: "smtp"},
	{Lib: "net/smtp|gomail|go-mail|gopkg.in/mail|mail.v2", Name: "sendmail|dialandsend|send", Class: Message, Provider: "smtp"},
	{Lib: "azure.communication", Recv: "*emailclient|*smsclient|*client", Name: "beginsend|send", Class: Message},
	{Lib: "sendgrid", Name: "send|sendemail|sendasync", Class: Message, Provider: "sendgrid"},
	{Lib: "mailgun", Name: "send|create|sendmessage", Class: Message, Provider: "mailgun"},
	{Lib: "postmark", Name: "sendemail|send|sendemailwithtemplate", Class: Message, Provider: "postmark"},
	{Lib: "resend", Name: "send|create", Recv: "emails|resend", Class: Message, Provider: "resend"},
	{Lib: "nodemailer", Name: "sendmail", Class: Message, Provider: "smtp"},
	{Lib: "mailkit|system.net.mail|net.mail", Name: "send|sendmail", Recv: "*smtp*|client|*client", Class: Message, Provider: "smtp"},
	{Recv: "*mailsender*|transport|javamailsender", Name: "send", Class: Message, Provider: "smtp"},
	{Lib: "boto3|ses|aws", Name: "sendemail|sendrawemail|sendtemplatedemail|sendbulkemail", Class: Message, Provider: "ses"},
	{Lib: "twilio", Recv: "messages|calls|*twilio*|message|api", Name: "create|createmessage|creator|makecall", Class: Message, Provider: "twilio"},
	{Lib: "slack", Name: "chatpostmessage|postmessage|send|postwebhook|filesupload|postmessagecontext", Class: Message, Provider: "slack"},
	{Lib: "telegram|discord|telebot", Name: "sendmessage|send|sendphoto", Class: Message},
	{Lib: "firebase|apns|onesignal|expo|novu|knock|courier", Name: "send|sendmulticast|trigger|sendeachformulticast|notify", Class: Message},
	{Lib: "@sendgrid/mail|sendgrid", Name: "sendmultiple", Class: Message, Provider: "sendgrid"},
	{Lib: "mailgun", Name: "messages", Class: None},
	{Lib: "microsoft-graph-client", Name: "post|create", Class: Create},
	{Lib: "microsoft-graph-client", Name: "put|patch|update", Class: Put},
	{Lib: "mailersend|sparkpost|mailjet|loops|plunk|customerio|@courier", Name: "send|sendemail|sendtransactionalemail|request|track|sendtransactional", Class: Message},
	{Lib: "web-push|expo-server-sdk|node-pushnotifications|apn", Name: "sendnotification|sendpushnotifications|send", Class: Message},
	{Recv: "*email*|*mailer*|*mail*|*smtp*|*notif*|*sms*|*messaging*", Name: "send|sendemail|sendmail|sendsms|sendnotification|notify|sendmessage|sendconfirmation*|sendasync", Class: Message},
}

// payments move money.
var payments = []Row{
	{Lib: "stripe", Recv: "customer|customers|product|products|price|prices|paymentmethod|setupintent|account|accounts|coupon|webhookendpoint|checkout|sessions|session|invoiceitem|invoice|invoices", Name: "create|new|createasync", Class: Create, Provider: "stripe"},
	{Lib: "stripe", Name: "create|new|confirm|capture|createasync|pay|finalizeinvoice|sendinvoice", Class: Charge, Provider: "stripe"},
	{Recv: "paymentintent|charge|refund|transfer|payout|subscription", Name: "create", Class: Charge, Provider: "stripe"},
	{Recv: "customer", Lib: "stripe", Name: "create", Class: Create, Provider: "stripe"},
	{Lib: "stripe", Name: "retrieve|list|get|search", Class: Read},
	{Lib: "stripe", Name: "update|modify|cancel|del|delete", Class: Put},
	{Lib: "braintree", Name: "sale|refund|submitforsettlement", Class: Charge, Provider: "braintree"},
	{Lib: "paypal", Name: "execute|capture|create|captureorder|createorder|orderscreate|orderscapture", Class: Charge, Provider: "paypal"},
	{Lib: "adyen", Name: "payments|paymentsapi|refund|capture|payout", Class: Charge, Provider: "adyen"},
	{Lib: "square", Name: "createpayment|refundpayment|create", Class: Charge, Provider: "square"},
	{Lib: "razorpay|mollie|gocardless|checkout-sdk|plaid|wise", Name: "create|capture|refund|transfercreate", Class: Charge},
}

// clouds are functions, jobs and other systems' APIs.
var clouds = []Row{
	{Lib: "boto3|aioboto3|lambda", Recv: "*lambda*|client|*client", Name: "invoke|invokeasync", Class: Act, Provider: "lambda"},
	{Lib: "boto3|aioboto3|stepfunctions|sfn", Name: "startexecution|startsyncexecution", Class: Start, Key: "name,Name", Provider: "stepfunctions"},
	{Lib: "boto3|aioboto3|ec2|ecs|batch|glue|sagemaker|emr", Name: "runinstances|runtask|submitjob|startjobrun|createtrainingjob|runjobflow|startbuild", Class: Start, Provider: "ec2"},
	{Lib: "github|octokit|pygithub", Name: "createissue|createcomment|createpull|createrelease|createdispatch|createworkflowdispatch|createcommitcomment|createreview|create|addlabels|createissuecomment|createworkflowdispatcheventbyfilename|createref|createfile|merge", Class: Create, Provider: "github"},
	{Lib: "jira|zendesk|servicenow|linear|asana|trello|notion|hubspot|salesforce|airtable|pagerduty|opsgenie|freshdesk", Name: "create*|add*|insert*|post*|trigger*|send*", Class: Create},
	{Lib: "googleapiclient|googleapis|calendar|gmail", Name: "insert|send|append|batchupdate|create|quickadd", Class: Create},
	{Lib: "kubernetes|client-go|k8s.io|fabric8", Name: "createnamespaced*|create", Class: Insert, Key: "name", Flags: "strict"},
	{Lib: "kubernetes|client-go|k8s.io|fabric8", Name: "patch*|replace*|update*|apply*|createorreplace", Class: Put},
	{Lib: "kubernetes|client-go|k8s.io|fabric8", Name: "delete*", Class: Delete, Flags: "strict"},
	{Lib: "octokit|@octokit", Recv: "issues|pulls|repos|actions|git|checks|rest", Name: "create*|merge|addlabels|requestreviewers", Class: Create, Provider: "github"},
	{Lib: "octokit|@octokit", Recv: "issues|pulls|repos|actions|git|checks|rest", Name: "update*|set*", Class: Put},
	{Lib: "octokit|@octokit", Recv: "issues|pulls|repos|actions|git|checks|rest", Name: "get*|list*", Class: Read},
	{Lib: "docker", Recv: "containers|*docker*|client", Name: "run|create|containercreate|containerstart", Class: Start},
	{Lib: "os/exec", Name: "run|output|combinedoutput|start|wait|stdoutpipe|stderrpipe|stdinpipe", Class: None}, // of the command that was judged when it was made
	{Lib: "subprocess|os/exec|child_process|processbuilder|diagnostics", Recv: "subprocess|exec|child*|process|asyncio", Name: "run|call|checkcall|checkoutput|popen|command|commandcontext|spawn|exec|execsync|start|createsubprocessexec|createsubprocessshell", Class: Program},
	{Lib: "os", Recv: "os", Name: "system|popen", Class: Program},
	{Lib: "child_process|execa|cross-spawn", Recv: "-", Name: "exec|execsync|execfile|execfilesync|spawn|spawnsync|fork|execa|execasync|execacommand|default", Class: Program},
	{Lib: "bitfield/script", Name: "exec|execforeach", Class: Program},
	{Lib: "/ssh", Recv: "*session*", Name: "run|output|combinedoutput|start", Class: Act},
	{Lib: "node-ssh|ssh2", Name: "execcommand|exec", Class: Act},
	{Lib: "/options", Name: "*", Class: None}, // go.mongodb.org/mongo-driver/mongo/options and its like
}

// commands are clients that are sent a command object, and functions whose
// outputs are set.
var commands = []Row{
	{Lib: "@aws-sdk|aws-sdk", Name: "send", Class: Command},
	{Lib: "azure/functions|durable", Recv: "extraoutputs", Name: "set", Class: Output},
}

// agents are model calls and tools.
var agents = []Row{
	// what is uploaded to a model's provider stays there, once for every upload
	{Lib: "openai|anthropic|azure.ai.agents|azure.ai.projects", Recv: "files|vectorstores|batches|jobs|assistants|agents|filebatches|*fileclient|*agentclient", Name: "create|upload|uploadandpoll|createagent|createandpoll|uploadfile|createandrun", Class: Create},
	{Recv: "responses|completions|embeddings|moderations", Name: "create|parse|stream|acreate|new|newstreaming", Class: LLM},
	{Lib: "openai|anthropic|ollama|langchain|llama|litellm|google.generativeai|genai|mistral|cohere|groq|azure.ai|semantic_kernel|semantickernel|dapr_agents|microsoft.extensions.ai|langchain4j|springframework.ai|pydantic_ai|@ai-sdk|huggingface|transformers|replicate|bedrock", Name: "create|chat|generate|invoke|ainvoke|complete|completions|embeddings|embed|parse|generatecontent|generatetext|invokemodel|converse|getresponse|predict|run|arun|call|stream|generateobject|embedquery|embeddocuments|encode|completechat|generateembedding|getchatcompletions|messages|responses|acreate|acompletion|completion|chatcompletions|generateasync|invokeprompt|getchatmessagecontent|prompt", Class: LLM},
	{Lib: "openai|dapr_agents|whisper|groq|azure.ai|litellm|langchain|deepgram|assemblyai|elevenlabs", Name: "createtranscription|createtranslation|createspeech|transcribe|transcribeaudio|transcribefile", Class: LLM},
	// a tool of a model is whatever its server makes of it
	{Lib: "mcp", Recv: "*client*|*session*|*server*", Name: "calltool", Class: Act},
	{Name: "calltool|executetool|runtool|invoketool|executetoolcall|invokemcptool|callmcptool", Class: Act},
}
