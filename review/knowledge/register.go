package knowledge

// Mark says that a function or type is an activity or a workflow. Names are in
// normal form.
type Mark struct {
	// Where the mark stands: "func" (decorator, attribute, annotation on a
	// function), "param" (on a parameter), "base" (extended or implemented
	// type), "type" (annotation on a type or interface: all its methods).
	Where string
	Name  string // alternatives separated by "|"
	// Lib must be part of an import of the file. Empty: any.
	Lib       string
	Framework string
	// NameArg selects the registered name: "name,0".
	NameArg string
	// Method is the body for "base": run|runasync.
	Method   string
	Workflow bool
}

// Marks are the forms of declaration.
func Marks() []Mark {
	return []Mark{
		{Where: "func", Name: "activity.defn|defn", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", NameArg: "name"},
		{Where: "func", Name: "workflow.run|run|signal|update|query|workflowrun", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Workflow: true},
		{Where: "func", Name: "activitytrigger", Lib: "azure|durable", Framework: "durable", NameArg: "activity,1"},
		{Where: "func", Name: "orchestrationtrigger", Lib: "azure|durable", Framework: "durable", Workflow: true},
		{Where: "func", Name: "activity|activityentry", Lib: "dapr_agents", Framework: "agents", NameArg: "name"},
		{Where: "func", Name: "activity", Lib: "dapr", Framework: "dapr", NameArg: "name"},
		{Where: "func", Name: "alternatename", Lib: "dapr", Framework: "dapr", NameArg: "name,0"},
		{Where: "func", Name: "workflow|workflowentry", Lib: "dapr", Framework: "dapr", Workflow: true},
		{Where: "func", Name: "activity", Lib: "temporalio", Framework: "temporal", NameArg: "0"},
		{Where: "func", Name: "activitymethod", Framework: "temporal", NameArg: "name"},
		{Where: "func", Name: "activity|temporalactivity", Lib: "temporal", Framework: "temporal", NameArg: "0,name"},
		{Where: "type", Name: "activityinterface", Framework: "temporal"},
		{Where: "param", Name: "activitytrigger|durableactivitytrigger", Framework: "durable"},
		{Where: "param", Name: "orchestrationtrigger|durableorchestrationtrigger", Framework: "durable", Workflow: true},
		{Where: "type", Name: "workflowinterface", Framework: "temporal", Workflow: true},
		{Where: "base", Name: "taskactivityfactory", Framework: "durable", Method: "create"},
		{Where: "base", Name: "workflowactivity", Framework: "dapr", Method: "run"},
		{Where: "base", Name: "workflow", Framework: "dapr", Method: "run|create", Workflow: true},
		{Where: "base", Name: "taskactivity|asynctaskactivity|taskactivitybase", Framework: "durable", Method: "run|execute"},
		{Where: "base", Name: "taskorchestrator|taskorchestration", Framework: "durable", Method: "run|runtask", Workflow: true},
	}
}

// WorkflowContexts are the types, in normal form, of what a workflow schedules
// activities by.
func WorkflowContexts() []string {
	return []string{"workflowcontext", "taskorchestrationcontext", "orchestrationcontext", "durableorchestrationcontext", "idurableorchestrationcontext"}
}

// Register is a call that names an activity: registering it, or scheduling it
// from a workflow.
type Register struct {
	Name      string // normal form, alternatives
	Lib       string
	Framework string
	// Arg selects the function, type, object or list: a position, a name, or
	// "type" for the type argument. Alias selects the registered name.
	Arg   string
	Alias string
	// Call marks a call site; Policy selects its retry policy.
	Call     bool
	Child    bool // what is scheduled is a workflow
	Policy   string
	Workflow bool
	// Methods: the argument is an object all of whose methods are activities.
	Methods bool
}

// Registers are the calls.
func Registers() []Register {
	return []Register{
		// registration
		{Name: "registeractivity", Lib: "dapr", Framework: "dapr", Arg: "type,0,1,fn", Alias: "name,activityname,0"},
		{Name: "registeractivitywithname", Lib: "dapr", Framework: "dapr", Arg: "1", Alias: "0"},
		{Name: "registerversionedworkflow|registerworkflow|registerworkflowwithname|addworkflow|addworkflown|addversionedworkflow|addorchestrator|addorchestratorn", Framework: "dapr", Arg: "type,0,1", Workflow: true},
		{Name: "addactivity", Framework: "dapr", Arg: "type,0,1,fn", Alias: "0"},
		{Name: "addactivityn", Framework: "dapr", Arg: "1", Alias: "0"},
		{Name: "addnamedactivity|registernamedactivity", Framework: "durable", Arg: "1,type", Alias: "0"},
		{Name: "addactivityfunc", Framework: "durable", Arg: "1", Alias: "0"},
		{Name: "registeractivity|registeractivities|registeractivitiesimplementations", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "0,1,2,3,4", Methods: true},
		{Name: "registeractivitywithoptions", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "0", Methods: true},
		{Name: "worker|newworker", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "activities", Methods: true},
		{Name: "create", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "activities", Methods: true},
		{Name: "addallactivities|addactivity|addsingletonactivities|addscopedactivities|addtransientactivities|addstaticactivities", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "type,0", Methods: true},
		{Name: "activity", Lib: "durable", Framework: "durable", Arg: "handler", Alias: "0"},
		{Name: "proxyactivities|proxylocalactivities", Lib: "temporal.io|temporalio|io.temporal", Framework: "temporal", Arg: "type", Methods: true},
		// call sites
		{Name: "callactivity|callactivitywithretry|scheduleactivity", Arg: "0,activity,name", Call: true, Policy: "retrypolicy,retry_policy,retryoptions,options,retry,2,1,3"},
		{Name: "executeactivity|executelocalactivity|executeactivitymethod|executelocalactivitymethod|startactivity|startlocalactivity|startactivitymethod", Arg: "0,activity", Call: true, Framework: "temporal", Policy: "retry_policy,retrypolicy,options"},
		{Name: "callchildworkflow|callsuborchestrator|callsuborchestratorwithretry|callchildworkflowwithretry", Arg: "0,workflow,orchestrator,name", Call: true, Child: true, Policy: "retrypolicy,retry_policy,retryoptions,options,retry,2,1,3"},
	}
}
