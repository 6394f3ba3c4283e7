package outside

import (
	"slices"
	"strings"
	"time"
)

// OpStatus is what a provider says of an operation.
type OpStatus uint8

// The statuses. An operation whose status is not known counts as one that
// happened: it is in the provider's list.
const (
	OpUnknown OpStatus = iota
	OpSucceeded
	OpPending
	OpFailed
)

// String is the stable name.
func (s OpStatus) String() string {
	return [...]string{"unknown", "succeeded", "pending", "failed"}[s]
}

// Operation is one entry of a provider's list, or one webhook it sent.
type Operation struct {
	ID      string // the provider's
	Key     string // idempotency key
	Ref     string // the caller's own reference
	Amount  string // as written, with its currency
	At      time.Time
	Status  OpStatus
	Webhook bool // received, not listed
}

// live reports an operation that had, or may still have, its effect.
func (o *Operation) live() bool { return o.Status != OpFailed }

// maxOperations bounds the operations kept.
const maxOperations = 2_000_000

// operations is a provider's list, by what the caller gave it.
type operations struct {
	byKey   map[string][]*Operation
	order   []string
	n       int
	dropped int
	from    time.Time
	to      time.Time
}

// AddOperation takes an entry of a provider's list. One listed twice (the same
// id) is one; a webhook and an entry with one id are one.
func (x *Index) AddOperation(o Operation) {
	x.Listed()
	x.ops.add(o)
}

// Listed notes that a provider's list was read, though it may have held nothing.
func (x *Index) Listed() {
	if x.ops == nil {
		x.ops = &operations{byKey: map[string][]*Operation{}}
	}
}

// Operations is how many operations are known.
func (x *Index) Operations() int {
	if x.ops == nil {
		return 0
	}
	return x.ops.n
}

func (p *operations) add(o Operation) {
	if p.n >= maxOperations {
		p.dropped++
		return
	}
	if !o.At.IsZero() && !o.Webhook {
		if p.from.IsZero() || o.At.Before(p.from) {
			p.from = o.At
		}
		if o.At.After(p.to) {
			p.to = o.At
		}
	}
	keep := &o
	isNew := true
	for _, k := range o.names() {
		for _, have := range p.byKey[k] {
			if have.ID == o.ID && o.ID != "" {
				have.merge(&o)
				keep, isNew = have, false
			}
		}
	}
	for _, k := range o.names() {
		list, known := p.byKey[k]
		if !known {
			p.order = append(p.order, k)
		}
		if isNew || !contains(list, keep) {
			p.byKey[k] = append(list, keep)
		}
	}
	if isNew {
		p.n++
	}
}

func contains(list []*Operation, o *Operation) bool {
	for _, have := range list {
		if have == o {
			return true
		}
	}
	return false
}

// names are the strings the caller chose for it.
func (o *Operation) names() []string {
	switch {
	case o.Key == "" && o.Ref == "":
		return nil
	case o.Key == "" || o.Key == o.Ref:
		return []string{o.Ref}
	case o.Ref == "":
		return []string{o.Key}
	}
	return []string{o.Key, o.Ref}
}

// merge takes the later word on one operation.
func (o *Operation) merge(other *Operation) {
	if other.Status != OpUnknown && (o.Status == OpUnknown || o.Status == OpPending || other.At.After(o.At)) {
		o.Status = other.Status
	}
	if o.At.IsZero() {
		o.At = other.At
	}
	o.Webhook = o.Webhook && other.Webhook
}

// live are the operations under a name that had, or may have, their effect. A
// refund listed beside its payment, with the other sign, undoes one and is none.
func (p *operations) live(name string) []*Operation {
	if p == nil {
		return nil
	}
	var out []*Operation
	var first *Operation
	for _, o := range p.byKey[name] {
		if o.live() {
			out = append(out, o)
			if first == nil || o.At.Before(first.At) {
				first = o
			}
		}
	}
	return slices.DeleteFunc(out, func(o *Operation) bool { return o.negative() != first.negative() })
}

// negative reports an amount below zero, as lists and accounts write it.
func (o *Operation) negative() bool {
	return strings.HasPrefix(o.Amount, "-") || strings.HasPrefix(o.Amount, "−") || strings.HasPrefix(o.Amount, "(")
}

// link says what of a call a provider's key or reference is.
type link uint8

const (
	noLink link = iota
	byExecID
	byLogKey
	byInstance // the instance id, alone or as the beginning of the key
)

// holders are the calls that a provider's key or reference belongs to. A run
// whose call cannot be told has call -1.
func (e *Evidence) holders(name string) ([]callAt, link) {
	x := e.x
	if refs := x.execs[name]; len(refs) > 0 {
		return e.distinct(x.own(refs)), byExecID
	}
	if refs := e.byKey[name]; len(refs) > 0 {
		return e.distinct(refs), byLogKey
	}
	head := name
	for head != "" {
		if in, ok := x.instances[head]; ok {
			return e.distinct(x.callsNamed(in, name[len(head):])), byInstance
		}
		at := strings.LastIndexAny(head, ":/|#")
		if at < 0 {
			break
		}
		head = head[:at]
	}
	return nil, noLink
}

// own leaves out the calls that a rerun copied.
func (x *Index) own(refs []callAt) []callAt {
	var out []callAt
	for _, r := range refs {
		if !x.runs[r.run].calls[r.call].copy {
			out = append(out, r)
		}
	}
	return out
}

// callsNamed finds the call of a run that the rest of a key names: its activity
// or its only call.
func (x *Index) callsNamed(in *instance, rest string) []callAt {
	var out []callAt
	rest = strings.ToLower(strings.Trim(rest, ":/|#"))
	for _, n := range in.runs {
		found := callAt{n, -1}
		own := 0
		for c := range x.runs[n].calls {
			d := &x.runs[n].calls[c]
			if d.copy {
				continue
			}
			if own++; rest != "" && (strings.ToLower(d.activity) == rest || strings.ToLower(d.key) == rest) {
				found.call, own = int32(c), -1
				break
			}
			if own == 1 {
				found.call = int32(c)
			}
		}
		if own > 1 {
			found.call = -1
		}
		out = append(out, found)
	}
	return out
}

// Unclaimed gives the operations that had, or may have, their effect and whose
// key and reference no intent record claims, each as a key without a record.
func (x *Index) Unclaimed(claimed func(key string) bool) func(func(Intent) bool) {
	return func(yield func(Intent) bool) {
		if x.ops == nil {
			return
		}
		told := map[*Operation]bool{}
		for _, name := range x.ops.order {
			fresh := false
			at := time.Time{}
			for _, o := range x.ops.live(name) {
				known := told[o]
				for _, n := range o.names() {
					known = known || claimed(n)
				}
				told[o] = true
				fresh, at = fresh || !known, o.At
			}
			if fresh && !yield(Intent{Key: name, State: Absent, At: at}) {
				return
			}
		}
	}
}
