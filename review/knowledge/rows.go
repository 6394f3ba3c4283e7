package knowledge

import "slices"

// Rows is the catalogue: earlier rows are preferred.
func Rows() []Row {
	return slices.Concat(contexts, values, jvm, dotnet, commands, dapr, engines, httpRows, databases, orms, stores, brokers, people, payments, clouds, files, agents, quiet)
}

// contexts are the accessors of activity contexts. Which of them is the same in
// every attempt is a fact per SDK, read in the SDKs of summer 2026 and measured
// on a real engine (Dapr 1.18.0).
var contexts = []Row{
	{Recv: "*context|*ctx", Name: "gettaskexecutionid|taskexecutionid|taskexecutionkey|gettaskexecutionkey", Class: ExecID},
	{Recv: "*context|*ctx", Name: "gettaskid|taskid|getworkflowactivityid|attempt|getattempt", Class: AttemptID},
	{Recv: "*context|*ctx", Name: "workflowid|instanceid|getworkflowinstanceid|getinstanceid|orchestrationid|getid", Class: InstanceID},
	{Recv: "*context|*ctx|", Name: "getinput", Class: Input},
	{Recv: "info|activityinfo|activityexecutioncontext", Name: "activityid|getactivityid", Class: ExecID},
	{Recv: "info|activityinfo|activityexecutioncontext", Name: "attempt|getattempt|tasktoken|gettasktoken", Class: AttemptID},
	{Recv: "info|activityinfo|activityexecutioncontext", Name: "workflowid|workflowrunid|getworkflowid|getrunid|runid", Class: InstanceID},
	{Lib: "temporal.io|temporalio|io.temporal", Name: "heartbeat|recordheartbeat", Class: None},
}

// values make values and touch nothing.
var values = []Row{
	{Name: "uuid1|uuid4|newguid|randomuuid|nanoid|ulid|newulid|cuid|createid|newstring|getrandomvalues|randombytes|tokenhex|tokenurlsafe|tokenbytes|getrandbits|randint|randrange|nextint|nextlong|nextdouble|secureguid|randomstring|sonyflake|generateuuid|uuidv4|uuidv1|uuidv7|uuid7|newv7", Class: Generate},
	{Lib: "uuid", Recv: "uuid", Name: "new|newuuid|newrandom|must|v4|v1|v7|newv4|v6", Class: Generate},
	{Lib: "uuid", Recv: "-", Name: "v4|v1|v7|uuid", Class: Generate},
	{Lib: "xid|ksuid|ulid", Recv: "xid|ksuid|ulid", Name: "new|make|newrandom", Class: Generate},
	{Recv: "random|rand|math|faker|fake|secrets|rng|rnd", Name: "random|choice|choices|uniform|sample|int|intn|int31n|int63|float64|next|n|int64n|shuffle", Class: Generate},
	{Recv: "uuid|guid|uuidutils", Name: "uuid5|v5|v3|newsha1|newmd5|nameuuidfrombytes|uuid3|create", Class: Hash},
	{Name: "uuid5|uuidv5|newsha1|nameuuidfrombytes|sha256|sha1|md5|sha512|blake2b|hexdigest|sha256hex|hashdata|computehash|createhash|createhmac|digest|md5hex|sum256|xxhash|hashcode|getdeterministicguid", Class: Hash},
	{Recv: "datetime|date|time|timezone|instant|localdatetime|localdate|zoneddatetime|offsetdatetime|clock|performance|moment|dayjs", Name: "now|utcnow|today|currenttimemillis|time|timens|nanotime|tick", Class: Clock, Flags: "noargs"},
	{Name: "objectid|newobjectid", Class: Generate, Flags: "noargs"},
	{Name: "currenttimemillis|nanotime|utcnow", Class: Clock},
	{Recv: "date|system", Name: "now|currenttimemillis", Class: Clock},
	{Recv: "-", Name: "date", Class: Clock, Flags: "noargs"},
	{Name: "getenv|getenvironmentvariable|lookupenv|environ", Class: Config},
}

// dapr are the building blocks, the same in every SDK.
var dapr = []Row{
	{Recv: "dapr*|client|*dapr*|d|state|c", Lib: "dapr", Name: "getstate|getstateentry|getstateandetag|getbulkstate|getstates|querystate|getstatewithconsistency|getmetadata|getsecret|getbulksecret|getconfiguration|getjob", Class: Read, Key: "1,key"},
	{Recv: "*dapr*|daprclient", Name: "getstate|getstateentry|getstateandetag|getbulkstate|querystate", Class: Read, Key: "1,key"},
	{Recv: "dapr*|client|*dapr*|d|c", Lib: "dapr", Name: "savestate|savebulkstate|savestatewithetag|savestateitems", Class: Put, Key: "1,key", Value: "2,value"},
	{Recv: "*dapr*|daprclient", Name: "savestate|savebulkstate|savestatewithetag", Class: Put, Key: "1,key", Value: "2,value"},
	{Recv: "*dapr*|daprclient", Name: "trysavestate", Class: Put, Key: "1,key", Value: "2,value", Flags: "etag"},
	{Recv: "state", Lib: "dapr", Name: "get|getbulk|query", Class: Read, Key: "1"},
	{Recv: "state", Lib: "dapr", Name: "save", Class: Put, Key: "key,1", Value: "value,1"},
	{Recv: "state", Lib: "dapr", Name: "delete", Class: Delete, Key: "1"},
	{Recv: "state|dapr*|*dapr*|client", Lib: "dapr", Name: "transaction|executestatetransaction", Class: Put, Key: "key,1", Value: "value,1"},
	{Recv: "*dapr*|daprclient|client|d|c", Lib: "dapr", Name: "deletestate|deletebulkstate|deletejob|deletestatewithetag|trydeletestate", Class: Delete, Key: "1,key"},
	{Recv: "*dapr*|daprclient|client|d|c|publisher", Lib: "dapr", Name: "publishevent|bulkpublishevent|publishevents|publisheventfromcustomcontent|publishevents", Class: Publish, Provider: "dapr-pubsub"},
	{Name: "publishevent|publisheventfromcustomcontent|bulkpublishevent|publishbyteevent|publisheventasync", Recv: "*dapr*|daprclient", Class: Publish, Provider: "dapr-pubsub"},
	{Recv: "pubsub", Lib: "dapr", Name: "publish|publishbulk", Class: Publish, Provider: "dapr-pubsub"},
	{Recv: "*dapr*|daprclient|client|d|c|binding", Lib: "dapr", Name: "invokebinding|invokeoutputbinding|send", Class: Binding},
	{Recv: "*dapr*|daprclient", Name: "invokebinding", Class: Binding},
	{Recv: "*dapr*|daprclient|client|d|c|invoker", Lib: "dapr", Name: "invokemethod|invokeservice|invokemethodwithresponse|invokemethodgrpc|invokemethodwithcontent|invokemethodwithcustomcontent|invoke", Class: Invoke},
	{Recv: "*dapr*|daprclient", Name: "invokemethod|invokemethodwithresponse", Class: Invoke},
	{Recv: "*dapr*|daprclient|client|d|c|*workflow*", Lib: "dapr", Name: "schedulenewworkflow|startworkflow|scheduleworkflow", Class: Start, Key: "instanceid,instance_id,2"},
	{Recv: "*dapr*|daprclient|client|d|c|*workflow*", Lib: "dapr", Name: "raiseworkflowevent|raiseevent", Class: Publish},
	{Recv: "*dapr*|daprclient|client|d|c|jobs|scheduler", Lib: "dapr", Name: "schedulejob", Class: Put, Key: "0,name,job"},
	{Recv: "*dapr*|daprclient|client|d|c|*workflow*", Lib: "dapr", Name: "terminateworkflow|pauseworkflow|resumeworkflow|purgeworkflow|shutdown|close|wait", Class: None},
	{Recv: "*dapr*|daprclient|client|d|c|*llm*|conversation", Lib: "dapr", Name: "converse|conversealpha1|conversealpha2|chat|generate", Class: LLM},
	{Recv: "*dapr*|daprclient|client|d|c", Lib: "dapr", Name: "trylock|unlock|encrypt|decrypt", Class: None},
}

// engines start runs from other workflow engines.
var engines = []Row{
	{Lib: "temporal.io|temporalio|io.temporal", Name: "executeworkflow|startworkflow|signalwithstartworkflow|start_workflow|start", Recv: "client|*client|workflowclient|temporal*", Class: Start, Key: "id,1"},
	{Lib: "temporal.io|temporalio|io.temporal", Name: "signalworkflow|signal", Recv: "client|*client|handle|*handle|stub", Class: Publish},
	{Lib: "temporal.io|temporalio|io.temporal", Name: "queryworkflow|query|getworkflowhandle|describeworkflowexecution|getclient|getinfo|info|getlogger|getmetricshandler|newclient|dial|current", Class: None},
	{Lib: "temporal.io|temporalio|io.temporal", Name: "signalwithstart", Class: Publish},
	{Lib: "temporal.io|temporalio|io.temporal", Name: "create|createschedule", Recv: "*scheduleclient|schedule", Class: Start, Key: "id,scheduleid,0"},
	{Lib: "durable", Name: "startnew|schedulenewinstance|schedulenewinstanceasync|startnewinstance|scheduleneworchestration|scheduleneworchestrationinstance", Class: Start, Key: "instanceid,1"},
	{Lib: "durable", Name: "readentitystate|readentity", Class: Read, Key: "0"},
	{Lib: "durable", Name: "signalentity", Class: "signalentity", Key: "0"},
	{Lib: "durable", Name: "raiseevent|raiseorchestrationevent", Class: Publish},
	{Lib: "temporalio", Recv: "*activityhandle|asyncactivityhandle", Name: "complete|fail|reportcancellation", Class: Spend},
}

// httpRows are HTTP clients.
var httpRows = []Row{
	{Recv: "requests|session|httpx|*client|http|*session|*http*|client|axios|got|ky|superagent|resttemplate|webclient|rest|unirest|needle|s|sess|fetcher|httpclient|restclient|c|instance|api|*api", Lib: "requests|httpx|aiohttp|urllib3|net/http|axios|got|ky|superagent|resty|springframework|java.net.http|unirest|okhttp|net.http|restsharp|flurl|needle|undici|retrofit|@nestjs", Name: "get|getjson|getforobject|getforentity|getstring|getasync|getfromjson|getstream|getbytearray|head|options", Class: HTTP, Verb: "GET"},
	{Recv: "requests|session|httpx|*client|http|*session|*http*|client|axios|got|ky|superagent|resttemplate|rest|s|sess|httpclient|c|instance|api|*api", Lib: "requests|httpx|aiohttp|urllib3|net/http|axios|got|ky|superagent|resty|springframework|unirest|okhttp|restsharp|flurl|needle|undici|@nestjs", Name: "post|postjson|postform|postforobject|postforentity|postasjson|postjsonasync", Class: HTTP, Verb: "POST"},
	{Recv: "requests|session|httpx|*client|http|*session|*http*|client|axios|got|ky|superagent|resttemplate|rest|s|sess|httpclient|c|instance|api|*api", Lib: "requests|httpx|aiohttp|urllib3|net/http|axios|got|ky|superagent|resty|springframework|unirest|okhttp|restsharp|flurl|needle|undici|@nestjs", Name: "put|putasjson|patch|patchasjson|patchforobject", Class: HTTP, Verb: "PUT"},
	{Recv: "requests|session|httpx|*client|http|*session|*http*|client|axios|got|ky|superagent|resttemplate|rest|s|sess|httpclient|c|instance|api|*api", Lib: "requests|httpx|aiohttp|urllib3|net/http|axios|got|ky|superagent|resty|springframework|unirest|okhttp|restsharp|flurl|needle|undici|@nestjs", Name: "delete", Class: HTTP, Verb: "DELETE"},
	{Recv: "requests|session|httpx|*client|http|*session|axios|client|rest|got", Lib: "requests|httpx|aiohttp|urllib3|axios|okhttp|resty|undici", Name: "request|send|execute", Class: HTTP, Verb: "@0"},
	{Recv: "*httpclient*|*http*|httpclient", Name: "post|postasjson|postform", Class: HTTP, Verb: "POST"},
	{Recv: "*httpclient*|*http*|httpclient", Name: "put|putasjson|patch|patchasjson", Class: HTTP, Verb: "PUT"},
	{Recv: "*httpclient*|*http*|httpclient", Name: "delete|deletefromjson", Class: HTTP, Verb: "DELETE"},
	{Recv: "*httpclient*|*http*|httpclient", Name: "get|getfromjson|getstring|getstream|getbytearray", Class: HTTP, Verb: "GET"},
	{Recv: "*httpclient*|*http*|httpclient", Name: "send", Class: HTTP},
	{Recv: "-", Name: "fetch", Class: HTTP},
	{Recv: "-", Lib: "axios", Name: "axios", Class: HTTP},
	{Lib: "urllib", Name: "urlopen", Class: HTTP},
	{Lib: "net/http", Recv: "http|*client|client|httpclient|c|*http*", Name: "do", Class: HTTP},
	{Lib: "net/http", Recv: "http|*client|client|httpclient|c|*http*", Name: "postform", Class: HTTP, Verb: "POST"},
	{Lib: "http|https|node:http|follow-redirects", Recv: "http|https", Name: "request", Class: HTTP},
	{Lib: "net/http", Recv: "http", Name: "newrequest|newrequestwithcontext", Class: "request"},
}

// quiet calls are known to touch nothing that matters here.
var quiet = []Row{
	{Recv: "log|logger|logging|_logger|*logger|*log|console|slog|zap|zerolog|klog|structlog|fmt|sugar|activitylogger|l|workflow", Name: "info|debug|warn|warning|error|exception|critical|trace|log|print|println|printf|infof|debugf|errorf|warnf|fatal|fatalf|loginformation|logwarning|logerror|logdebug|logtrace|logcritical|infow|errorw|writeline|write|fprintf|fprintln|fprint|msg|msgf|dir|table|group|groupend|infoctx|infocontext|errorcontext|with|sprintf|sprint|notice|severe|fine|finest", Class: None, Flags: "log"},
	{Recv: "-", Name: "print|println|printf|sleep|len|range|enumerate|zip|isinstance|str|int|float|repr|sorted|require|super|typeof", Class: None, Flags: "log"},
	{Name: "sleep|delay|wait|waitfor|settimeout|thread.sleep|asyncsleep|emptytask|completedtask|fromresult|resolve|reject", Class: None},
	{Name: "createquerybuilder|createqueryrunner", Class: None},
	{Recv: "*metric*|*meter*|*counter*|*histogram*|*telemetry*|*tracer*|*span*|statsd|prometheus|gauge|*gauge*|stats|*registry*", Name: "add|inc|increment|observe|record|set|setattribute|addevent|end|startspan|dec|labels|track*|recordexception|setstatus|counter|timer", Class: None},
}
