package keys

// Record is the record of your own: an intent record or dedupe table, with its
// protocol.
type Record struct {
	Needed   bool     `json:"needed"`
	Why      string   `json:"why"`
	Protocol []string `json:"protocol"`
	OnRepeat []State  `json:"on_repeat"`
	Keep     string   `json:"keep"`
	Cost     string   `json:"cost"`
	Ask      string   `json:"ask" jsonschema:"the question for a person when nothing can be reconciled"`
	KVStore  []string `json:"catalyst_kv_store"`
}

// State is what a repeat finds and does.
type State struct {
	Record  string `json:"record"`
	Meaning string `json:"meaning"`
	Do      string `json:"do"`
}

// Protocol is the record's protocol, the same for every activity.
func Protocol() Record {
	return Record{
		Protocol: []string{
			"before the call: commit a record under the key with status pending and the reference by which the provider can be searched. The write itself refuses a second one; reading first and writing then does not, and is at best a shortcut in front of it",
			"make the call, with the key too where the provider takes one: its key covers the short window, the record everything after it",
			"after the call: succeeded with the provider's id, or failed with whether it was transient",
		},
		OnRepeat: []State{
			{"absent", "no attempt reached the provider", "begin with the first step"},
			{"pending", "the outcome is unknown: the call may have landed", "reconcile: ask the provider by the reference, list the window, or look for its webhook. Do not call again"},
			{"succeeded", "done", "return the stored provider id"},
			{"failed", "terminal or transient, as stored", "return the failure; retry by the policy if it was transient"},
		},
		Cost: "a round trip to the database for every call, and a scheduled job: worth it for effects that a repeat would show outside",
		Keep: "rows longer than the longest-running workflow; a scheduled job deletes older ones, never pending ones",
		Ask: "If the provider cannot be asked about a pending record: shall such a call be made again, or not? Again: the operation may happen twice (a second charge, a second message). " +
			"Not again: it may never have happened. Money or trust hangs on it, so a person decides; it is not chosen here, and a pending record is not resolved by a guess",
		KVStore: []string{
			"a Catalyst project has one managed KV store by default. The quota is a plan value that can differ per organization: idem_status reads the live one. Whether it can be raised is a commercial question and nothing to promise",
			"the table shares that store with all other state of the project: namespace the keys, dedupe:<workflow>:<key>. A second KV store is not the fix",
		},
	}
}

// record says whether this activity needs one.
func record(c Choice) Record {
	r := Protocol()
	r.Why = "an outage, a suspended run or a rerun can come later than any window; where that matters, keep one beside the provider's key"
	for _, w := range c.Windows {
		if w.Verdict == TooShort || w.Verdict == NoKey || w.Verdict == NotPublished {
			r.Needed, r.Why = true, w.Says
			if w.Verdict == TooShort {
				r.Why = "needed: " + w.Provider + " can forget the key before the last repeat"
			}
			break
		}
	}
	if len(c.Windows) == 0 {
		r.Why = "the provider is not known: where it takes no key, or forgets it too soon, the record is what protects"
	}
	return r
}
