package knowledge

// Basis is how a fact about a key is known.
type Basis string

// The bases, the strongest first.
const (
	Observed     Basis = "observed"        // on a real engine
	InCode       Basis = "read in code"    // of the SDK or the engine
	Construction Basis = "by construction" // the workflow made it from what does not change
	Likely       Basis = "likely"          // reasoned from what was read or observed
	NotKnown     Basis = "not known"       // neither read nor observed
)

// What becomes of a key in a situation.
const (
	Same    = "same"
	New     = "new"
	Part    = "part"    // some calls keep it, others do not: see the note
	Depends = "depends" // the workflow's code decides
	Unknown = "not known"
	Absent  = "none" // there is no such key
)

// Hold says what becomes of a key in one situation.
type Hold struct {
	Is    string `json:"is"` // same, new, part, depends, not known, none
	Basis Basis  `json:"basis"`
	Note  string `json:"note,omitempty"`
}

// The key sources, in the order of preference.
const (
	NaturalKey   = "natural_key"
	ExecutionKey = "task_execution_id"
	StepKey      = "instance_id_and_step"
	ParentKey    = "parent_key"
)

// KeySource is what a key from one source is worth in one SDK.
type KeySource struct {
	ID   string
	Name string
	// Versions is from when to when the row holds, as far as it is known.
	Versions string
	// The situations in which a body runs a second time, and what a key must be
	// across different operations.
	Retry, Redelivery, LostCommit, Rerun, ContinueAsNew, ChildRetry, Distinct Hold
	// Caveat is what a reader must know before relying on it.
	Caveat string
}

// KeySources are the rows of an SDK in the order of preference. Frameworks
// whose ids were neither read nor measured have no execution id row that holds.
func KeySources(framework, language string) []KeySource {
	if framework == "" || framework == "agents" {
		framework = "dapr"
	}
	sdk := sdkKeys[language]
	switch {
	case framework != "dapr":
		sdk = elsewhere
	case language == "":
		sdk = anySDK
	}
	return []KeySource{natural, sdk.execution, stepKey(sdk), parentKey(sdk)}
}

// sdkFacts is what differs between SDKs.
type sdkFacts struct {
	execution KeySource
	stepRerun Hold // of the calls after the target of a rerun
	childID   Hold // the instance id of a retried child
}

var natural = KeySource{
	ID: NaturalKey, Name: "a natural key in the input", Versions: "every SDK and version",
	Retry:         Hold{Same, Construction, "every attempt gets the same input"},
	Redelivery:    Hold{Same, Construction, ""},
	LostCommit:    Hold{Same, Construction, "the re-run turn schedules the same input"},
	Rerun:         Hold{Same, Observed, "a rerun given a new input decides anew"},
	ContinueAsNew: Hold{Depends, Construction, "the same if the workflow carries it over; where every generation is a new operation, add what tells generations apart"},
	ChildRetry:    Hold{Same, Construction, "if it is in the child's input"},
	Distinct:      Hold{Depends, Construction, "one operation per key: two charges on purpose for one order need a step name too"},
}

func stepKey(s sdkFacts) KeySource {
	child := s.childID
	if child.Is == New {
		child.Note = "a retried child is a new instance: take the parent's id"
	}
	return KeySource{
		ID: StepKey, Name: "instance id and step name, made in the workflow and passed in the input", Versions: "every SDK and version",
		Retry:         Hold{Same, Construction, ""},
		Redelivery:    Hold{Same, Construction, ""},
		LostCommit:    Hold{Same, Construction, "the re-run turn makes the same text: this is what an execution id of Go does not do"},
		Rerun:         s.stepRerun,
		ContinueAsNew: Hold{Same, Construction, "every generation has the same instance id: the step name must hold the generation where each is a new operation"},
		ChildRetry:    child,
		Distinct:      Hold{Depends, Construction, "a step name of its own for every call site and every turn of a loop; an instance id used again repeats its keys"},
	}
}

func parentKey(s sdkFacts) KeySource {
	k := stepKey(s)
	k.ID, k.Name = ParentKey, "a key made in the parent and passed down in the child's input"
	k.ChildRetry = Hold{Same, Construction, "the retried child gets the same input"}
	k.ContinueAsNew = Hold{Depends, Construction, "the same if the child carries it over"}
	k.Caveat = "for activities of a child run that may itself be retried"
	return k
}

var (
	targetKeepsID = "the target of the rerun, and unfinished siblings, keep it; later steps get new ones. A rerun with a new input keeps the target's id too: the same key with other parameters"
	goLost        = "a first attempt whose turn was lost is dispatched again under a new id (87 of 87 in the lab): a key made of it does not protect there. A later attempt under a policy keeps it (9 of 9)"
	publishedID   = "published texts contradict each other: the protocol page says the id changes on every retry, the .NET page says it does not. Neither holds for every SDK"
	sameStepRerun = "the target's input is copied with the key in it; later steps make a new key from the new instance id"
	copiedInput   = Hold{Part, InCode, sameStepRerun}
)

var sdkKeys = map[string]sdkFacts{
	"go": {
		execution: KeySource{
			ID: ExecutionKey, Name: "the task execution id", Versions: "durabletask-go 0.8.0 (Dapr 1.16) or newer; empty before",
			Retry:         Hold{Same, Observed, "a turn of a hand-written loop is a new call with a new id"},
			Redelivery:    Hold{Same, Observed, ""},
			LostCommit:    Hold{New, Observed, goLost},
			Rerun:         Hold{Part, Observed, targetKeepsID},
			ContinueAsNew: Hold{New, InCode, ""},
			ChildRetry:    Hold{New, Observed, "20 of 20 in the lab"},
			Distinct:      Hold{Same, InCode, "every call has its own"},
			Caveat:        publishedID,
		},
		stepRerun: copiedInput,
		childID:   Hold{New, Observed, ""},
	},
	"python": {
		execution: KeySource{
			ID: ExecutionKey, Name: "the task execution id", Versions: "dapr-ext-workflow 1.17.2 (durabletask-dapr 0.17.1) or newer; empty before",
			Retry:         Hold{Same, InCode, "a turn of a hand-written loop is a new call with a new id"},
			Redelivery:    Hold{Same, Likely, "observed with Go"},
			LostCommit:    Hold{New, Likely, "it is made of the turn's time, and the re-run turn has another"},
			Rerun:         Hold{Part, Likely, targetKeepsID},
			ContinueAsNew: Hold{New, InCode, ""},
			ChildRetry:    Hold{New, Likely, "the retried child has the same instance id and another turn time"},
			Distinct:      Hold{Same, InCode, "every call has its own"},
			Caveat:        publishedID,
		},
		stepRerun: Hold{Part, Likely, sameStepRerun},
		childID:   Hold{Same, InCode, "a retried child keeps its instance id, and the earlier history is overwritten"},
	},
	"java": {
		execution: KeySource{
			ID: ExecutionKey, Name: "the task execution id", Versions: "sent from java-sdk 1.15.2, readable from 1.16.0",
			Retry:         Hold{Same, InCode, "a turn of a hand-written loop is a new call with a new id"},
			Redelivery:    Hold{Same, Likely, "observed with Go"},
			LostCommit:    Hold{New, Likely, "it is made of the turn's time, and the re-run turn has another"},
			Rerun:         Hold{Part, Likely, targetKeepsID},
			ContinueAsNew: Hold{New, InCode, ""},
			ChildRetry:    Hold{New, Likely, "the retried child has the same instance id and another turn time"},
			Distinct:      Hold{Same, InCode, "every call has its own"},
			Caveat:        publishedID,
		},
		stepRerun: Hold{Same, Likely, "the context's instance id is read from executionStarted, and a rerun keeps the source's id there: a rerun is then refused as a duplicate"},
		childID:   Hold{Same, InCode, "a retried child keeps its instance id, and the earlier history is overwritten"},
	},
	"csharp": {
		execution: KeySource{
			ID: ExecutionKey, Name: "the task execution id", Versions: "1.17.0 to 1.19 preview; missing before. 1.17.0 to 1.17.4 ignored retry policies silently",
			Retry:         Hold{New, InCode, "every attempt is a new task with a new id; only the retry timer keeps the first"},
			Redelivery:    Hold{Same, Likely, "it is stored with the schedule"},
			LostCommit:    Hold{Same, Likely, "it is made of instance, task number and name"},
			Rerun:         Hold{Part, Likely, targetKeepsID},
			ContinueAsNew: Hold{Same, Likely, "Dapr up to 1.18.3: the same id in every generation, and for an instance id that is used again"},
			ChildRetry:    Hold{New, Likely, "a retried child is a new instance; with an instance id that you set it is the same"},
			Distinct:      Hold{Depends, Likely, "Dapr up to 1.18.3: generations, and lives of one instance id, share their ids: one would suppress the other's work"},
			Caveat:        publishedID + ". Some texts call it TaskExecutionId; the SDK has TaskExecutionKey",
		},
		stepRerun: Hold{Part, Likely, "the target's input is copied with the key in it; what the context gives later steps of a rerun was not read"},
		childID:   Hold{New, InCode, ""},
	},
	"javascript": jsKeys,
	"typescript": jsKeys,
}

// anySDK is for a question that names no language: what all SDKs share.
var anySDK = sdkFacts{
	execution: KeySource{
		ID: ExecutionKey, Name: "the task execution id", Versions: "Dapr 1.16 or newer, by SDK",
		Retry:         Hold{Depends, InCode, "Go, Python and Java keep it, .NET makes a new one for every attempt, JavaScript has none"},
		Redelivery:    Hold{Same, Likely, "observed with Go"},
		LostCommit:    Hold{Depends, Likely, "new in Go (observed), Python and Java, the same in .NET"},
		Rerun:         Hold{Part, Likely, targetKeepsID},
		ContinueAsNew: Hold{Depends, Likely, "new in Go, Python and Java, the same in .NET on Dapr up to 1.18.3"},
		ChildRetry:    Hold{New, Likely, ""},
		Distinct:      Hold{Depends, Likely, "every call has its own, but .NET repeats them over generations on Dapr up to 1.18.3"},
		Caveat:        publishedID,
	},
	stepRerun: Hold{Depends, Likely, "new for later steps in Go, likely the same in Java; the target's input is copied with the key in it"},
	childID:   Hold{Depends, InCode, "Go and .NET give a retried child a new instance id, Python and Java the same: take the parent's id"},
}

// absent is the row of an SDK without an execution id.
func absent(versions, caveat string, basis Basis) KeySource {
	h := Hold{Absent, basis, ""}
	return KeySource{ID: ExecutionKey, Name: "the task execution id", Versions: versions, Caveat: caveat,
		Retry: h, Redelivery: h, LostCommit: h, Rerun: h, ContinueAsNew: h, ChildRetry: h, Distinct: h}
}

var jsKeys = sdkFacts{
	execution: absent("never, to 3.18", "the JavaScript SDK sends none, and has no retry policy; getWorkflowActivityId() is the attempt's and no key", Observed),
	stepRerun: Hold{Part, Likely, "the target's input is copied with the key in it; what the context gives later steps of a rerun was not read"},
	childID:   Hold{Unknown, NotKnown, "what a retried child is called was not read"},
}

// elsewhere are Durable Functions, Temporal and others: their ids were neither
// read nor measured here, and that is said instead of a guess.
var elsewhere = sdkFacts{
	execution: KeySource{ID: ExecutionKey, Name: "the framework's own task id", Versions: "not known",
		Retry: unread, Redelivery: unread, LostCommit: unread, Rerun: unread, ContinueAsNew: unread, ChildRetry: unread, Distinct: unread,
		Caveat: "the ids of this framework were not read or measured here: take a natural key, or an instance id with a step name"},
	stepRerun: unread,
	childID:   unread,
}

var unread = Hold{Unknown, NotKnown, ""}
