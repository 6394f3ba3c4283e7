package knowledge

// ExecutionID is what an SDK's task execution id is worth as a key: read in the
// SDKs of summer 2026 and observed on Dapr 1.18.0.
type ExecutionID struct {
	Framework string
	Language  string
	Accessor  string // "" when the SDK has none
	Since     string
	// Stable: the attempts of one call share it.
	Stable bool
	Note   string
}

// ExecutionIDs lists them.
func ExecutionIDs() []ExecutionID { return executionIDs }

// ExecutionIDFor is the row of an SDK, nil when nothing is known.
func ExecutionIDFor(framework, language string) *ExecutionID {
	if framework == "agents" || framework == "" {
		framework = "dapr"
	}
	for i := range executionIDs {
		if e := &executionIDs[i]; e.Framework == framework && e.Language == language {
			return e
		}
	}
	return nil
}

var executionIDs = []ExecutionID{
	{"dapr", "go", "ctx.GetTaskExecutionID()", "Dapr 1.16 (durabletask-go 0.8.0)", true, "the same in every retry and redelivery; a lost commit gives a new one"},
	{"dapr", "python", "ctx.get_inner_context().task_execution_id", "dapr-ext-workflow 1.17.2", true, "the same in every retry and redelivery; empty before 1.17.2; a lost commit likely gives a new one"},
	{"dapr", "java", "ctx.getTaskExecutionId()", "java-sdk 1.16.0", true, "the same in every retry and redelivery; a lost commit likely gives a new one"},
	{"dapr", "csharp", "context.TaskExecutionKey", ".NET SDK 1.17.0", false, "made anew for every retry attempt; the same only when one attempt is delivered twice"},
	{"dapr", "javascript", "", "", false, "the JavaScript SDK has none; getWorkflowActivityId() is the attempt's"},
	{"dapr", "typescript", "", "", false, "the JavaScript SDK has none; getWorkflowActivityId() is the attempt's"},
}

// Predicate says how an SDK's retry policy tells failures apart.
type Predicate struct {
	Framework, Language string
	Names               []string // normal forms it takes; none: it has no predicate
	Instead             string
}

// PredicateFor is the row of an SDK, nil when nothing is known.
func PredicateFor(framework, language string) *Predicate {
	if framework == "agents" {
		framework = "dapr"
	}
	for i := range predicates {
		if p := &predicates[i]; p.Framework == framework && p.Language == language {
			return p
		}
	}
	return nil
}

var predicates = []Predicate{
	{"dapr", "go", []string{"handle"}, ""},
	{"dapr", "java", []string{"handle", "retryhandler", "setretryhandler"}, ""},
	{"dapr", "python", nil, "return the rejection as a value and let the workflow decide; RetryPolicy takes no predicate"},
	{"dapr", "csharp", nil, "return the rejection as a value and let the workflow decide; WorkflowRetryPolicy takes no predicate"},
	{"dapr", "javascript", nil, "return the rejection as a value and let the workflow decide; the SDK has no retry policy"},
	{"dapr", "typescript", nil, "return the rejection as a value and let the workflow decide; the SDK has no retry policy"},
}

// PredicateWords are names, in normal form, that people give a retry policy to
// tell failures apart.
var PredicateWords = []string{"nonretryableerrortypes", "nonretryableerrors", "nonretryableexceptions", "retryon", "retryif", "shouldretry", "predicate", "handle", "isretryable", "retryableexceptions", "retryableerrors", "errorfilter", "retrywhen", "retryonexceptions", "exceptions", "donotretry"}

// RejectionWords in the type or text of an error mean that no retry can help.
var RejectionWords = []string{"valueerror", "validation", "invalid", "illegalargument", "argumentexception", "argumentnull", "insufficient", "declined", "rejected", "rejection", "notfound", "not found", "forbidden", "unauthorized", "business", "domainexception", "unsupported", "not allowed", "exceeds", "out of stock", "outofstock", "badrequest", "expired", "must be", "is required", "missing", "unknown customer", "not eligible", "ineligible", "too old", "too large", "limit reached", "blocked", "denied"}
