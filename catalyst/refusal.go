package catalyst

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Refusal kinds, as Catalyst names them.
const (
	NotAuthenticated      = "NOT_AUTHENTICATED"
	NoOrg                 = "NO_ORG"
	NoOrganization        = "NO_ORGANIZATION"
	OrgMismatch           = "ORG_MISMATCH"
	OrgUnavailable        = "ORG_UNAVAILABLE"
	CatalystNotEnabled    = "CATALYST_NOT_ENABLED"
	DataSharingRestricted = "DATA_SHARING_RESTRICTED"
	Denied                = "denied"
	NoPolicy              = "no-policy"
	Unfilterable          = "unfilterable"
	NotFound              = "NOT_FOUND" // likely: no public text names it
)

// Refusal is a refusal of the server. It travels as the Cause of a fault.Error;
// callers that need its kind use RefusalKind.
type Refusal struct {
	Kind        string // as the server wrote it
	Message     string // the server's words, cleaned
	Instruction string // the server's advice, cleaned
	Retryable   bool   // true only when the server said so
}

func (r *Refusal) Error() string {
	s := r.Kind
	if r.Message != "" {
		s += " (the server's words: " + r.Message + ")"
	}
	return s
}

// RefusalKind returns the kind of the refusal in err's chain, "" when there is
// none.
func RefusalKind(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Kind
	}
	return ""
}

// refusalRow says what a refusal means for the question and what to do.
type refusalRow struct {
	kind  string
	fault fault.Kind
	means string
	do    string
}

// refusalTable is what facts are known of each kind. Advice never asks for a
// data-sharing level to be raised and never names another way to a withheld
// payload.
var refusalTable = []refusalRow{
	{NotAuthenticated, fault.SignIn, "nothing was read", "Run `idem-mcp login`, or set " + TokenEnv + " where there is no browser"},
	{NoOrg, fault.SignIn, "the sign-in belongs to no organization, so there is nothing to read", "Sign in with a user who is a member of an organization (`idem-mcp login`)"},
	{NoOrganization, fault.SignIn, "the sign-in belongs to no organization, so there is nothing to read", "Sign in with a user who is a member of an organization (`idem-mcp login`)"},
	{OrgMismatch, fault.Forbidden, "the sign-in belongs to another organization than the one asked for; trying again gives the same answer", "Sign in to the organization that owns the project (`idem-mcp logout`, then `idem-mcp login`)"},
	{OrgUnavailable, fault.Unreachable, "the organization cannot be read now; nothing is known about its runs", "Ask again later"},
	{CatalystNotEnabled, fault.Unsupported, "the organization does not use Catalyst; nothing is known about its runs", "Check catalyst.url and the organization of the sign-in"},
	{DataSharingRestricted, fault.Withheld, "the organization's data-sharing level is metadata and this answer needs full; what was withheld is not empty", ""},
	{Denied, fault.Withheld, "the organization's data-sharing policy refuses this answer; asking again gives the same", ""},
	{NoPolicy, fault.Withheld, "no data-sharing policy covers this answer, so the server keeps it; asking again gives the same", ""},
	{NotFound, fault.NotFound, "the server answered that there is no such thing in this project", "Check the run's id, its app and catalyst.project; idem_list_runs lists what is there"},
	{Unfilterable, fault.TooLarge, "the answer is too large for the server to filter", "Ask for fewer runs, or for a shorter time"},
}

func refusalRowOf(kind string) (refusalRow, bool) {
	for _, r := range refusalTable {
		if strings.EqualFold(strings.ReplaceAll(kind, "_", "-"), strings.ReplaceAll(r.kind, "_", "-")) {
			return r, true
		}
	}
	return refusalRow{}, false
}

// refusalFault makes the typed error of a refusal met while doing what.
func refusalFault(what string, r *Refusal) error {
	row, ok := refusalRowOf(r.Kind)
	if !ok {
		return &fault.Error{Kind: fault.Unknown, What: what + ": the server refused", Cause: r, Means: "nothing was read, which is not the same as nothing being there"}
	}
	do := row.do
	if do == "" && r.Instruction != "" && row.fault != fault.Withheld {
		do = "The server's advice: " + r.Instruction
	}
	return &fault.Error{Kind: row.fault, What: what + ": the server refused", Cause: r, Means: row.means, Do: do}
}

// envelope is every form of a refusal that is known or likely.
type envelope struct {
	Kind        json.RawMessage `json:"kind"`
	Code        json.RawMessage `json:"code"`
	Reason      json.RawMessage `json:"reason"`
	Type        json.RawMessage `json:"type"`
	Status      json.RawMessage `json:"status"`
	Message     json.RawMessage `json:"message"`
	Detail      json.RawMessage `json:"detail"`
	Instruction json.RawMessage `json:"instruction"`
	Action      json.RawMessage `json:"action"`
	Retryable   bool            `json:"retryable"`
	Error       json.RawMessage `json:"error"`
}

// refusalIn finds a refusal in an answer. isErr tells that the server marked
// the answer as an error, and then an unknown kind is a refusal too; without
// the mark only a known kind in the place of an error is one, so that a run
// whose own text mentions a kind is not taken for a refusal.
func refusalIn(doc json.RawMessage, text string, isErr bool) *Refusal {
	if r := refusalInDoc(doc, isErr, 0); r != nil {
		return r
	}
	if r := refusalInText(text); r != nil {
		return r
	}
	if isErr {
		return &Refusal{Kind: "error", Message: clean.Line(text, 300)}
	}
	return nil
}

func refusalInDoc(doc json.RawMessage, isErr bool, depth int) *Refusal {
	if len(doc) == 0 || depth > 2 {
		return nil
	}
	if s, ok := jsonString(doc); ok {
		return refusalInText(s)
	}
	var e envelope
	if doc[0] != '{' || json.Unmarshal(doc, &e) != nil {
		return nil
	}
	if r := refusalInDoc(e.Error, isErr, depth+1); r != nil {
		fillMessage(r, e)
		return r
	}
	if depth == 0 && !isErr {
		// A run answer can hold a "kind" or "type" of its own: outside an error
		// only the unmistakable upper-case kinds count.
		if k, ok := jsonString(e.Kind); !ok || k != strings.ToUpper(k) {
			return nil
		}
	}
	for _, raw := range []json.RawMessage{e.Kind, e.Code, e.Reason, e.Type} {
		k, ok := jsonString(raw)
		if !ok {
			continue
		}
		if _, known := refusalRowOf(k); known {
			r := &Refusal{Kind: k, Retryable: e.Retryable}
			fillMessage(r, e)
			r.Message = strings.TrimSpace(r.Message + " " + furtherFields(doc))
			return r
		}
	}
	if depth > 0 && string(e.Status) == "404" {
		r := &Refusal{Kind: NotFound, Retryable: e.Retryable}
		fillMessage(r, e)
		return r
	}
	if depth > 0 && isErr {
		k, _ := jsonString(e.Kind)
		if k == "" {
			k = "error"
		}
		r := &Refusal{Kind: clean.Line(k, 60), Retryable: e.Retryable}
		fillMessage(r, e)
		return r
	}
	return nil
}

func fillMessage(r *Refusal, e envelope) {
	for _, raw := range []json.RawMessage{e.Message, e.Detail} {
		if s, ok := jsonString(raw); ok && r.Message == "" {
			r.Message = clean.Line(s, 300)
		}
	}
	for _, raw := range []json.RawMessage{e.Instruction, e.Action} {
		if s, ok := jsonString(raw); ok && r.Instruction == "" {
			r.Instruction = clean.Line(s, 300)
		}
	}
	r.Retryable = r.Retryable || e.Retryable
}

// furtherFields lists what else the envelope says, for example the two
// organizations of a mismatch.
func furtherFields(doc json.RawMessage) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(doc, &m) != nil {
		return ""
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch k {
		case "kind", "code", "reason", "type", "message", "detail", "instruction", "action", "retryable", "error":
			continue
		}
		if v, ok := jsonString(m[k]); ok && v != "" && len(parts) < 6 {
			parts = append(parts, clean.Line(k, 40)+": "+clean.Line(v, 80))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// refusalInText reads a bare string that begins with a kind.
func refusalInText(s string) *Refusal {
	s = strings.TrimSpace(s)
	for _, row := range refusalTable {
		rest, ok := strings.CutPrefix(s, row.kind)
		if !ok || rest != "" && isWordByte(rest[0]) {
			continue
		}
		return &Refusal{Kind: row.kind, Message: clean.Line(strings.TrimLeft(rest, " :-–—.\t\n"), 300)}
	}
	return nil
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func jsonString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
