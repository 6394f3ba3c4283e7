package catalyst

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/idem-mcp/idem-mcp/history"
)

// How a level is known. The order of evidence is the order of these constants.
const (
	howStated     = "stated by the server in an answer"
	howRestricted = "the server refused a read with DATA_SHARING_RESTRICTED"
	howServed     = "this answer holds payloads"
	howExport     = "the server served an export of this run"
	howConfigured = "as configured"
)

// levelEvidence is what this process has learned of the organization's level.
// It only ever holds what the server said or did; what an operator configured
// is used where there is nothing else.
type levelEvidence struct {
	mu         sync.Mutex
	stated     history.Level
	restricted bool
	probed     bool
	served     bool // a run's answer held payloads
	configured history.Level
}

// note takes in an answer: a level that it states, if it states one.
func (l *levelEvidence) note(doc json.RawMessage) {
	level := statedLevel(doc)
	if level == history.LevelUnstated {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stated = level
}

// refused takes in a refusal. It is newer than a "full" that was stated before.
func (l *levelEvidence) refused(kind string) {
	if kind != DataSharingRestricted {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.restricted = true
	if l.stated == history.LevelFull {
		l.stated = history.LevelUnstated
	}
}

// observe takes in a run's answer. changed tells that it fits a level other
// than the one the evidence so far stood for, so that the evidence is stale: an
// administrator changed the level while this process ran.
func (l *levelEvidence) observe(doc json.RawMessage) (changed bool) {
	payloads := holdsPayload(doc)
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = l.served && !payloads || l.restricted && payloads
	l.served = payloads
	if changed {
		l.probed = false
	}
	return changed
}

// general is what is known apart from any one answer.
func (l *levelEvidence) general() history.Sharing {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stated != history.LevelUnstated:
		return history.Sharing{Level: l.stated, How: howStated}
	case l.restricted:
		return history.Sharing{Level: history.LevelMetadata, How: howRestricted}
	case l.configured != history.LevelUnstated:
		return history.Sharing{Level: l.configured, How: howConfigured}
	}
	return history.Sharing{}
}

// of is the level that holds for one answer or one row of it, in the order of evidence: a level
// the answers state, a refusal that proves metadata, payloads that prove full
// for this answer, what was configured, nothing.
//
// A configured "full" is not believed of an answer without a single payload:
// then the level is left unstated rather than contradicted.
func (l *levelEvidence) of(doc json.RawMessage) history.Sharing {
	s := l.general()
	if s.How == howStated || s.How == howRestricted {
		return s
	}
	if holdsPayload(doc) {
		return history.Sharing{Level: history.LevelFull, How: howServed}
	}
	if s.Level == history.LevelFull {
		return history.Sharing{}
	}
	return s
}

// wantsProbe reports, once, that only a probe could tell the level, or whether
// stale evidence still holds.
func (l *levelEvidence) wantsProbe(stale bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probed || l.stated != history.LevelUnstated || l.restricted && !stale {
		return false
	}
	l.probed = true
	return true
}

// lift drops the refusal that proved metadata, after the server answered the
// same question in another way.
func (l *levelEvidence) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.restricted = false
}

// statedLevel reads a level from where only the server writes: the top of an
// answer, its _meta, and the attributes of a composed part. Anything deeper
// may be an application's text.
func statedLevel(doc json.RawMessage) history.Level {
	top, ok := asObject(doc)
	if !ok {
		return history.LevelUnstated
	}
	places := []object{top}
	for _, name := range []string{"meta", "getcurrentorgwithdetails", "organization", "org"} {
		o, ok := asObject(top[name])
		if !ok {
			continue
		}
		places = append(places, o)
		data, ok := asObject(o["data"])
		if !ok {
			continue
		}
		places = append(places, data)
		if attrs, ok := asObject(data["attributes"]); ok {
			places = append(places, attrs)
		}
	}
	for _, o := range places {
		for _, n := range []string{"datasharinglevel", "datasharing", "sharinglevel"} {
			switch strings.ToLower(o.str(n)) {
			case "metadata":
				return history.LevelMetadata
			case "full":
				return history.LevelFull
			}
		}
	}
	return history.LevelUnstated
}

// holdsPayload reports whether a payload key is present at any depth, whatever
// its value: at metadata these keys are gone from the document.
func holdsPayload(doc json.RawMessage) bool {
	dec := json.NewDecoder(bytes.NewReader(doc))
	type frame struct{ object, key bool }
	var stack []frame
	for {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		if d, ok := tok.(json.Delim); ok {
			switch d {
			case '{':
				stack = append(stack, frame{object: true, key: true})
			case '[':
				stack = append(stack, frame{})
			default:
				stack = stack[:len(stack)-1]
				if n := len(stack); n > 0 && stack[n-1].object {
					stack[n-1].key = true
				}
			}
			continue
		}
		n := len(stack)
		if n == 0 || !stack[n-1].object {
			continue
		}
		if stack[n-1].key {
			switch normal(tok.(string)) {
			case "input", "output", "customstatus":
				return true
			}
		}
		stack[n-1].key = !stack[n-1].key
	}
}
