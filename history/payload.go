package history

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
)

// Level is an organization's data-sharing level. The zero value means that
// nobody stated one; an answer must then not name one.
type Level uint8

// The data-sharing levels.
const (
	LevelUnstated Level = iota
	LevelMetadata
	LevelFull
)

// String returns "metadata", "full" or "" when no level was stated.
func (l Level) String() string {
	switch l {
	case LevelMetadata:
		return "metadata"
	case LevelFull:
		return "full"
	}
	return ""
}

// Sharing is a data-sharing level together with how it is known, for example
// "the default of every source", "as configured", "the server refused an
// export with DATA_SHARING_RESTRICTED".
type Sharing struct {
	Level Level
	How   string
}

// String is the clause an answer uses.
func (s Sharing) String() string {
	if s.Level == LevelUnstated {
		return "not shared; the server did not state the level"
	}
	return "data-sharing level " + s.Level.String() + " (" + s.How + ")"
}

// PayloadState is which of the four things a payload is.
type PayloadState uint8

// The four states. The zero value is PayloadNotRecorded, so that a reader that
// forgets a payload never claims that it was empty.
const (
	PayloadNotRecorded PayloadState = iota // this event kind or this export shape does not carry it
	PayloadShared
	PayloadEmpty
	PayloadWithheld
)

// String is the stable name used in answers.
func (s PayloadState) String() string {
	return [...]string{"not_recorded", "shared", "empty", "withheld"}[s&3]
}

// Payload is an input, output, result or custom status. Its fields are private
// and only a shared payload has a value, so a withheld one cannot be printed as
// empty, nor an empty one as withheld.
type Payload struct {
	state   PayloadState
	value   string
	sharing *Sharing
	print   uint64 // keyed fingerprint; 0: none was taken
	cut     bool   // shared, but the source cut it: value is only its beginning
}

// SharedPayload is a payload whose value was served.
func SharedPayload(value string) Payload { return Payload{state: PayloadShared, value: value} }

// EmptyPayload is a payload that the source said is empty (null, "" or not set
// in an encoding where unset means null).
func EmptyPayload() Payload { return Payload{state: PayloadEmpty} }

// WithheldPayload is a payload that was not shared. s must outlive it; all
// payloads of a run usually share one.
func WithheldPayload(s *Sharing) Payload { return Payload{state: PayloadWithheld, sharing: s} }

// State returns which of the four things p is.
func (p Payload) State() PayloadState { return p.state }

// Value returns the value of a shared payload; ok is false in every other state.
func (p Payload) Value() (value string, ok bool) { return p.value, p.state == PayloadShared }

// Cut reports whether the source gave only the beginning of a shared value.
func (p Payload) Cut() bool { return p.cut }

// Sharing returns why a withheld payload was withheld; ok is false otherwise.
func (p Payload) Sharing() (s Sharing, ok bool) {
	if p.state != PayloadWithheld || p.sharing == nil {
		return Sharing{}, p.state == PayloadWithheld
	}
	return *p.sharing, true
}

// withPrint returns p carrying the fingerprint of raw, so that equality can be
// told without the value. A nil Fingerprinter changes nothing.
func (p Payload) withPrint(f *Fingerprinter, raw []byte) Payload {
	if f != nil {
		p.print = f.sum(raw)
	}
	return p
}

// String never returns a value: a shared payload prints its size. Callers that
// show values ask for Value.
func (p Payload) String() string {
	switch p.state {
	case PayloadShared:
		return "[shared]"
	case PayloadEmpty:
		return "[empty]"
	case PayloadWithheld:
		s, _ := p.Sharing()
		return "[withheld: " + s.String() + "]"
	}
	return "[not recorded]"
}

// MarshalJSON writes {"state":…} with "value" only when shared and
// "level"/"how_known" only when withheld.
func (p Payload) MarshalJSON() ([]byte, error) {
	out := struct {
		State string  `json:"state"`
		Value *string `json:"value,omitempty"`
		Cut   bool    `json:"cut,omitempty"`
		Level string  `json:"level,omitempty"`
		How   string  `json:"how_known,omitempty"`
	}{State: p.state.String()}
	switch p.state {
	case PayloadShared:
		out.Value, out.Cut = &p.value, p.cut
	case PayloadWithheld:
		s, _ := p.Sharing()
		out.Level, out.How = s.Level.String(), s.How
		if out.How == "" {
			out.How = "the server did not state the level"
		}
	}
	return json.Marshal(out)
}

// Equality is what can be told about two payloads.
type Equality uint8

// The three answers.
const (
	EqualityUnknown Equality = iota
	Equal
	Different
)

// Compare tells whether two payloads are the same: by value when both are
// shared, by fingerprint when both carry one, by state when both are empty.
// An empty payload differs from a shared one. Anything else is unknown.
func (p Payload) Compare(q Payload) Equality {
	switch {
	case p.state == PayloadShared && q.state == PayloadShared:
		if (p.cut || q.cut) && p.value == q.value {
			return EqualityUnknown
		}
		return equality(p.value == q.value)
	case p.state == PayloadEmpty && q.state == PayloadEmpty:
		return Equal
	case p.state == PayloadEmpty && (q.state == PayloadShared || q.print != 0),
		q.state == PayloadEmpty && (p.state == PayloadShared || p.print != 0):
		return Different
	case p.print != 0 && q.print != 0:
		return equality(p.print == q.print)
	}
	return EqualityUnknown
}

func equality(same bool) Equality {
	if same {
		return Equal
	}
	return Different
}

// Fingerprinter makes keyed fingerprints (HMAC-SHA-256, 64 bits kept) of
// withheld payloads. The key lives in this value only; neither it nor a
// fingerprint has a printable form.
type Fingerprinter struct{ key []byte }

// NewFingerprinter uses key, which must be random and made at process start.
func NewFingerprinter(key []byte) *Fingerprinter {
	return &Fingerprinter{key: append([]byte(nil), key...)}
}

func (f *Fingerprinter) sum(raw []byte) uint64 {
	m := hmac.New(sha256.New, f.key)
	m.Write(raw)
	var buf [sha256.Size]byte
	d := m.Sum(buf[:0])
	var v uint64
	for _, b := range d[:8] {
		v = v<<8 | uint64(b)
	}
	return v | 1 // 0 means "none"
}
