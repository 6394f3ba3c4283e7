package knowledge

// dotnet are libraries that only .NET has, and those whose .NET client behaves
// differently from the others. Interfaces are named by type: with implicit and
// global usings a file need not import what it uses.
var dotnet = []Row{
	// the process: telemetry, clocks, identity
	{Recv: "*counter|*histogram|createcounter|createhistogram|createupdowncounter|createobservablegauge|*meter|*metrics", Name: "add|record|inc|observe", Class: None},
	{Recv: "*httpclientfactory|httpclientfactory|clientfactory|factory", Name: "createclient", Class: None, Gives: "HttpClient"},
	{Name: "createinvokehttpclient|createinvokableclient|createinvokablehttpclient", Class: None, Gives: "HttpClient"},
	{Recv: "*timeprovider|*clock|isystemclock", Name: "getutcnow|getlocalnow|utcnow|getcurrentinstant", Class: Clock},
	{Recv: "-", Name: "random", Class: Generate},
	{Recv: "random|shared|rnd|rng|*random|randomnumbergenerator", Name: "next|nextint64|nextdouble|nextsingle|getint32|getbytes|nextbytes|getitems", Class: Generate},
	{Recv: "path", Name: "gettempfilename|getrandomfilename|gettemppath", Class: "temp"},
	{Recv: "guid", Name: "createversion7", Class: Generate},

	// Dapr
	{Recv: "*dapr*", Name: "createinvokemethodrequest", Class: "request"},
	{Recv: "*dapr*", Name: "checkhealth|checkoutboundhealth|waitforsidecar|getservicecredentials|getmetadata|shutdownsidecar", Class: None},
	{Lib: "dapr.workflow", Recv: "*daprworkflowclient*|*workflowclient*", Name: "schedulenewworkflow", Class: Start, Key: "instanceid,1"},
	{Recv: "*daprclient*", Name: "startworkflow", Class: Start, Key: "instanceid,2"},
	{Recv: "*dapr*", Name: "getstateentry", Class: Read, Key: "1,key", Gives: "StateEntry"},
	{Lib: "dapr", Recv: "*entry*", Name: "save|trysave", Class: Put, Key: "recv", Value: "recv"},
	{Lib: "dapr", Recv: "*entry*", Name: "delete|trydelete", Class: Delete, Key: "recv"},
	{Recv: "*daprclient*|*dapr*", Name: "trylock|lock|unlock", Class: None},
	{Recv: "daprpublishsubscribeclient|daprjobsclient|daprconversationclient", Name: "publishevent|publishbulkevent", Class: Publish, Provider: "dapr-pubsub"},

	{Recv: "acquiretokenforclient|acquiretokensilent|acquiretokenonbehalfof|acquiretokenbyrefreshtoken|*acquiretoken*", Name: "execute", Class: None},

	// actors: the proxy only names one; its state is its own
	{Recv: "actorproxy|*proxyfactory|*actorproxy", Name: "create|createactorproxy|defaultproxyfactory", Class: None},
	{Recv: "statemanager|iactorstatemanager", Name: "getstate|trygetstate|containsstate|getoraddstate", Class: Read, Key: "0"},
	{Recv: "statemanager|iactorstatemanager", Name: "setstate|addstate|tryaddstate", Class: Put, Key: "0", Value: "1"},
	{Recv: "statemanager|iactorstatemanager", Name: "addorupdatestate", Class: Put, Key: "0", Value: "2"},
	{Recv: "statemanager|iactorstatemanager", Name: "removestate|tryremovestate", Class: Delete, Key: "0"},
	{Recv: "statemanager|iactorstatemanager", Name: "savestate|clearcache", Class: None},

	// HTTP
	{Recv: "-", Name: "httprequestmessage|restrequest|flurlrequest", Class: "request"},
	{Recv: "*client|client|*api|http", Name: "postasjson", Class: HTTP, Verb: "POST"},
	{Recv: "*client|client|*api|http", Name: "putasjson|patchasjson", Class: HTTP, Verb: "PUT"},
	{Recv: "*client|client|*api|http", Name: "getfromjson|getstring|getstream|getbytearray", Class: HTTP, Verb: "GET"},
	{Recv: "*client|client|*api|http", Name: "deletefromjson", Class: HTTP, Verb: "DELETE"},
	{Lib: "restsharp", Recv: "*client|client", Name: "execute|executepost|executeget|executeput|executedelete|post|get|put|delete|patch", Class: HTTP, Verb: "name"},
	{Lib: "flurl", Name: "postjson|poststring|postmultipart|posturlencoded|sendjson", Class: HTTP, Verb: "POST"},
	{Lib: "flurl", Name: "putjson|patchjson", Class: HTTP, Verb: "PUT"},
	{Lib: "flurl", Name: "getjson|getstring|receivejson|receivestring", Class: HTTP, Verb: "GET"},

	// EF Core: what is added or changed is written when it is saved
	{Recv: "*dbcontext|*context|db|*db|context", Name: "savechanges|bulksavechanges", Class: Commit},
	{Lib: "entityframework", Name: "add|addrange", Recv: "*dbcontext|*context|db|*db|context|dbset|*set", Class: Insert, Value: "0", Flags: "staged"},
	{Lib: "entityframework", Name: "update|updaterange|attach", Recv: "*dbcontext|*context|db|*db|context|dbset|*set", Class: Put, Value: "0", Key: "0"},
	{Recv: "dbset|*dbcontext", Name: "add|addrange", Class: Insert, Value: "0", Flags: "staged"},
	{Recv: "dbset|*dbcontext", Name: "update|updaterange|attach", Class: Put, Value: "0", Key: "0"},
	{Recv: "dbset|*dbcontext", Name: "remove|removerange", Class: Delete, Key: "0"},
	{Lib: "entityframework", Name: "remove|removerange", Recv: "*dbcontext|*context|db|*db|context|dbset|*set", Class: Delete, Key: "0"},
	{Recv: "dbset|*dbcontext|*context|db|*db", Name: "find|firstordefault|first|single|singleordefault|tolist|any|count|toarray|longcount|max|sum|lastordefault|todictionary|contains", Class: Read},
	{Recv: "dbset|*dbcontext|*context|db|*db|context", Name: "executeupdate", Class: "executeupdate"},
	{Recv: "dbset|*dbcontext|*context|db|*db|context", Name: "executedelete", Class: Delete},
	{Recv: "*connection|*conn|connection|conn|*datasource", Name: "open|close|createcommand|openconnection|createbatch", Class: "local"},
	{Recv: "*database", Name: "begintransaction|usetransaction", Class: Tx},
	{Lib: "entityframework", Name: "bulkinsert", Class: Insert, Value: "0"},
	{Recv: "idocumentsession|idocumentstore", Name: "store|insert", Class: Put, Value: "0", Key: "0"},
	{Recv: "idbconnection|*connection|*conn", Lib: "dapper", Name: "insert", Class: Insert, Value: "0"},
	{Recv: "idbconnection|*connection|*conn", Lib: "dapper", Name: "get|getall|queryfirst|querysingle", Class: Read},

	// Azure
	{Recv: "blobcontainerclient|cloudblobcontainer|blobserviceclient|cloudblobclient|queueclient|cloudqueue|tableclient|cloudtable|tableserviceclient|*container*|*table*|*queue*", Name: "createifnotexists|createtableifnotexists|setaccesspolicy|setpermissions|deleteifexists", Class: None},
	{Name: "getblockblobclient", Class: "local", Gives: "BlockBlobClient"},
	{Name: "getblobclient|getblockblobreference|getblobreference|getblobreferencefromserver|getpageblobclient", Class: "local", Gives: "BlobClient"},
	{Name: "getappendblobclient|getappendblobreference", Class: "local", Gives: "AppendBlobClient"},
	{Name: "getblobcontainerclient|getcontainerreference", Class: "local", Gives: "BlobContainerClient"},
	{Recv: "blobclient|blockblobclient|cloudblockblob|cloudblob|icloudblob|blobbaseclient", Name: "upload|uploadblob|uploadtext|uploadfromstream|uploadfrombytearray|uploadfromfile|openwrite|startcopyfromuri|startcopy|synccopyfromuri|setmetadata|sethttpheaders|setproperties|settags|stageblock|commitblocklist|putblocklist|putblock", Class: "blob", Key: "recv"},
	{Recv: "*fileclient", Name: "openwrite|upload|uploadrange|create", Class: Put, Key: "recv"},
	{Recv: "blobcontainerclient", Name: "uploadblob", Class: "blob", Key: "name,0"},
	{Recv: "blobclient|blockblobclient|cloudblockblob|cloudblob|blobbaseclient|appendblobclient", Name: "download*|exists|openread|getproperties|fetchattributes|generatesasuri|getsharedaccesssignature|gettags", Class: Read, Key: "recv"},
	{Recv: "blobclient|blockblobclient|cloudblockblob|cloudblob|blobbaseclient|appendblobclient", Name: "deleteifexists", Class: Delete, Key: "recv"},
	{Recv: "blobclient|blockblobclient|cloudblockblob|cloudblob|blobbaseclient|appendblobclient", Name: "delete", Class: Delete, Key: "recv", Flags: "strict"},
	{Recv: "appendblobclient|cloudappendblob", Name: "append*", Class: Append, Key: "recv"},
	{Recv: "blobcontainerclient|cloudblobcontainer", Name: "getblobs|listblobs*|exists|getproperties", Class: Read},
	{Name: "createsender", Class: None, Gives: "ServiceBusSender"},
	{Recv: "servicebussender|iqueueclient|itopicclient|messagesender|isendendpoint|servicebusclient", Name: "sendmessage|sendmessages|send|schedulemessage|schedulemessages", Class: Publish, Provider: "servicebus"},
	{Lib: "azure.messaging", Name: "createmessagebatch|createbatch|tryaddmessage|tryadd", Class: "local"},
	{Recv: "queueclient|cloudqueue|getqueueclient|*queue|*queueclient", Name: "sendmessage|addmessage", Class: Publish, Flags: "blind"},
	{Name: "getqueueclient|getqueuereference", Class: "local", Gives: "QueueClient"},
	{Recv: "eventhubproducerclient|eventhubbufferedproducerclient|eventhubclient|*eventhub*", Name: "send|enqueueevent|enqueueevents", Class: Publish},
	{Recv: "eventgridpublisherclient|*eventgrid*", Name: "sendevent|sendevents|publishevents", Class: Publish},
	{Name: "gettableclient|gettablereference", Class: "local", Gives: "TableClient"},
	{Recv: "tableclient|*tableclient|*table", Name: "addentity", Class: Insert, Value: "0"},
	{Recv: "tableclient|*tableclient|*table", Name: "upsertentity|updateentity", Class: Put, Value: "0", Key: "0"},
	{Recv: "tableclient|*tableclient|*table", Name: "deleteentity", Class: Delete, Key: "1"},
	{Recv: "tableclient|*tableclient|*table", Name: "getentity|getentityifexists|query", Class: Read, Key: "1"},
	{Recv: "tablebatchoperation|*batchoperation", Name: "insert", Class: "stage"},
	{Recv: "cloudtable|*table", Name: "execute|executebatch", Class: "tableop", Value: "0"},
	{Recv: "cloudtable|*table", Name: "executequery|executequerysegmented", Class: Read},
	{Name: "getcontainer|getcosmoscontainer", Class: "local", Gives: "Container"},
	{Recv: "container|*container|documentclient|idocumentclient|*cosmos*", Name: "createitem|createdocument|createitemstream", Class: Insert, Value: "0,1"},
	{Recv: "container|*container|documentclient|idocumentclient|*cosmos*", Name: "upsertitem|replaceitem|upsertdocument|replacedocument|upsertitemstream", Class: Put, Value: "0,1", Key: "id,0"},
	{Recv: "container|*container|*cosmos*", Name: "patchitem", Class: "patchitem", Key: "0"},
	{Recv: "container|*container|documentclient|idocumentclient|*cosmos*", Name: "readitem|readdocument|createdocumentquery|getitemqueryiterator|getitemlinqqueryable|readmanyitems|readnext", Class: Read, Key: "0"},
	{Recv: "container|*container|documentclient|idocumentclient|*cosmos*", Name: "deleteitem|deletedocument", Class: Delete, Key: "0", Flags: "strict"},
	{Recv: "asynccollector|servicebuscollector|kafkacollector|iasynccollector|icollector|rabbitmqcollector", Name: "add", Class: Publish},
	{Recv: "queuecollector|eventhubcollector|eventgridcollector|signalrcollector", Name: "add", Class: Publish, Flags: "blind"},
	{Recv: "sendgridcollector|twiliosmscollector", Name: "add", Class: Message},
	{Recv: "tablecollector", Name: "add", Class: Insert, Value: "0"},
	{Recv: "cosmosdbcollector", Name: "add", Class: Put, Value: "0", Key: "id,0"},
	{Recv: "*collector", Name: "flush", Class: None},

	{Lib: "docker", Recv: "*containers|*images|*networks|*volumes|*swarm|*tasks|*exec", Name: "createcontainer|createnetwork|createimage|create|execcreatecontainer|createservice", Class: Create},
	{Lib: "docker", Recv: "*containers", Name: "startcontainer|stopcontainer|removecontainer|killcontainer", Class: Put},
	{Lib: "docker", Recv: "*containers|*images|*networks|*volumes", Name: "list*|inspect*|waitcontainer|getcontainerlogs|connectnetwork", Class: Read},

	// AWS
	{Lib: "amazon.", Name: "putobject|uploadobjectfromfilepath|upload", Class: Put, Key: "key,Key,1,2"},
	{Lib: "amazon.", Name: "getobject|getobjectmetadata|listobjectsv2|getitem|query|scan|load|getpresignedurl|getpresigned", Class: Read, Key: "Key,0"},
	{Lib: "amazon.", Name: "deleteobject|deleteitem|delete", Class: Delete, Key: "Key,0"},
	{Lib: "amazon.", Name: "putitem", Class: Put, Key: "Item,0", Value: "Item"},
	{Lib: "amazon.", Name: "updateitem", Class: "dynamo", Key: "Key,0"},
	{Lib: "amazon.dynamodb", Recv: "*context*", Name: "save", Class: Put, Key: "0", Value: "0"},
	{Lib: "amazon.", Name: "sendmessage|sendmessagebatch", Class: Publish, Provider: "sqs"},
	{Lib: "amazon.", Name: "publish", Class: Publish, Provider: "sns"},
	{Lib: "amazon.", Name: "sendemail|sendtemplatedemail|sendrawemail", Class: Message, Provider: "ses"},
	{Lib: "amazon.", Name: "putevents|putrecord|putrecords", Class: Publish},
	{Lib: "amazon.", Name: "startexecution", Class: Start, Key: "name,Name", Provider: "stepfunctions"},
	{Lib: "amazon.lambda", Name: "invoke", Class: Act, Provider: "lambda"},

	// brokers
	{Recv: "ipublishendpoint|ibus|isendendpoint|isendendpointprovider|imessagesession|iendpointinstance|imessagebus|ieventbus|itopicproducer|icappublisher|*publishendpoint", Name: "publish|send|produce|publishbatch|sendlocal|invoke|schedulepublish", Class: Publish},
	{Recv: "iproducer|*producer", Name: "produce", Class: Publish, Provider: "kafka", Flags: "blind"},
	{Recv: "imediator|isender|ipublisher|*mediator|sender", Lib: "mediatr|mediator", Name: "send|publish", Class: "mediate"},
	{Recv: "imodel|ichannel", Name: "basicpublish", Class: Publish, Provider: "rabbitmq"},
	{Recv: "backgroundjob|ibackgroundjobclient|*backgroundjob*", Name: "enqueue|schedule", Class: Publish},
	{Recv: "*hubcontext|clients|*hub", Name: "send|sendcore", Class: Publish},

	// people
	{Recv: "*sendgridclient|isendgridclient|*sendgrid*", Name: "sendemail", Class: Message, Provider: "sendgrid"},
	{Recv: "messageresource|callresource", Name: "create", Class: Message, Provider: "twilio"},
	{Recv: "emailclient|smsclient|*emailclient", Name: "send", Class: Message},
	{Recv: "smtpclient|ismtpclient|*smtp*", Name: "send|sendmail", Class: Message, Provider: "smtp"},
	{Lib: "microsoft.graph", Recv: "sendmail|reply|forward", Name: "post|request.post", Class: Message},
	{Lib: "microsoft.graph", Recv: "batch", Name: "post", Class: Read},
	{Lib: "microsoft.graph", Name: "post", Class: Create},
	{Lib: "microsoft.graph", Name: "patch|put", Class: Put},
	{Lib: "microsoft.graph", Name: "get", Class: Read},
	{Recv: "*connectorclient|*botadapter|iturncontext|*turncontext|conversations", Name: "sendactivity|sendactivities|sendtoconversation|replytoactivity", Class: Message},
	{Recv: "*botadapter|*adapter", Name: "continueconversation", Class: None},

	// payments
	{Lib: "stripe", Recv: "customerservice|productservice|priceservice|sessionservice|invoiceservice|invoiceitemservice|accountservice|couponservice|paymentmethodservice|setupintentservice", Name: "create", Class: Create, Provider: "stripe"},
	{Recv: "paymentintentservice|chargeservice|refundservice|transferservice|payoutservice|subscriptionservice", Name: "create|confirm|capture", Class: Charge, Provider: "stripe"},

	// Redis and caches
	{Recv: "idatabase|*redis*|redisdb", Name: "locktake|stringsetandget", Class: Put, Key: "0", Flags: "cond"},
	{Recv: "idatabase|*redis*|redisdb", Name: "lockrelease|keyexpire|ping", Class: None},
	{Recv: "idatabase|*redis*|redisdb", Name: "stringincrement|stringdecrement|hashincrement|hashdecrement|sortedsetincrement", Class: Increment, Key: "0"},
	{Recv: "idatabase|*redis*|redisdb", Name: "listrightpush|listleftpush|streamadd|stringappend", Class: Append, Key: "0"},
	{Recv: "idatabase|*redis*|redisdb", Name: "stringset|hashset|setadd|sortedsetadd|jsonset", Class: Put, Key: "0", Value: "1"},
	{Recv: "idatabase|*redis*|redisdb", Name: "stringget|hashget|hashgetall|setmembers|listrange|keyexists|sortedsetrangebyrank", Class: Read, Key: "0"},
	{Recv: "idatabase|*redis*|redisdb", Name: "keydelete|hashdelete|setremove|sortedsetremove", Class: Delete, Key: "0"},
	{Recv: "isubscriber|getsubscriber", Name: "publish", Class: Publish},
	{Recv: "idistributedcache|*distributedcache|hybridcache|ifusioncache", Name: "set|setstring|refresh", Class: Put, Key: "0", Value: "1"},
	{Recv: "idistributedcache|*distributedcache", Name: "get|getstring", Class: Read, Key: "0"},
	{Recv: "idistributedcache|*distributedcache|hybridcache|ifusioncache", Name: "remove", Class: Delete, Key: "0"},
	{Recv: "imemorycache|memorycache", Name: "set|remove|createentry|getorcreate|trygetvalue|get", Class: None},

	// MongoDB
	{Recv: "imongocollection", Name: "insertone|insertmany", Class: Insert, Value: "0"},
	{Recv: "imongocollection", Name: "updateone|updatemany|findoneandupdate", Class: "mongo", Key: "0"},
	{Recv: "imongocollection", Name: "replaceone|findoneandreplace", Class: Put, Key: "0", Value: "1"},
	{Recv: "imongocollection", Name: "deleteone|deletemany|findoneanddelete", Class: Delete, Key: "0"},
	{Recv: "imongocollection", Name: "find|aggregate|countdocuments", Class: Read, Key: "0"},

	// agents
	{Recv: "ichatclient|chatclient|kernel|openaiclient|azureopenaiclient|ichatcompletionservice|iembeddinggenerator|embeddingclient|aiagent|chatclientagent|*chatclient", Name: "getresponse|getstreamingresponse|completechat|completechatstreaming|invokeprompt|invoke|getchatmessagecontent|getchatmessagecontents|generate|generateembedding|generateembeddings|run|complete", Class: LLM},

	// files: deleting a file that is gone is no error in .NET
	{Recv: "file", Name: "writealltext|writeallbytes|writealllines|create|createtext|openwrite", Class: Put, Key: "0", Value: "1"},
	{Recv: "file", Name: "appendalltext|appendalllines", Class: Append, Key: "0"},
	{Recv: "file", Name: "delete", Class: Delete, Key: "0"},
	{Recv: "file", Name: "appendtext", Class: Open},
	{Recv: "-", Name: "streamwriter|filestream", Class: Open},
	{Recv: "file", Name: "writeline", Class: Put},
	{Recv: "directory", Name: "getfiles|enumeratefiles|exists|getdirectories|enumeratedirectories", Class: Read, Key: "0"},
}
