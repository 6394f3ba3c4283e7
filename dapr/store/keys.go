package store

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	sep       = "||"
	typeStart = "dapr.internal."
	typeEnd   = ".workflow"

	// SuffixMetadata ends the key of a run's metadata row.
	SuffixMetadata = sep + "metadata"
	// SuffixStatus ends the key of a run's custom status.
	SuffixStatus  = sep + "customStatus"
	historyPrefix = "history-"
)

// Name is a run as its keys name it:
// <prefix>||dapr.internal.<namespace>.<app>.workflow||<instance>||<suffix>.
// The prefix is the app id by default; a component's keyPrefix setting can make
// it another text or leave it out.
type Name struct {
	Prefix, Namespace, App, Instance string

	location string
}

// Location is the part of the run's keys that they share, without the last
// separator. It names the run within the store.
func (n Name) Location() string { return n.location }

// Role is what a row of a run holds.
type Role uint8

// Roles. The engine's other rows (inbox, signatures, certificates, propagated
// history) are RoleOther.
const (
	RoleOther Role = iota
	RoleMetadata
	RoleStatus
	RoleHistory
)

// ParseKey reads a key of a store; ok is false for keys that are no workflow's.
// index is the position of a history row.
func ParseKey(key string) (name Name, role Role, index int, ok bool) {
	last := strings.LastIndex(key, sep)
	if last < 0 {
		return Name{}, RoleOther, 0, false
	}
	name, ok = ParseLocation(key[:last])
	if !ok {
		return Name{}, RoleOther, 0, false
	}
	role, index = parseSuffix([]byte(key[last:]))
	return name, role, index, true
}

// SplitKey is ParseKey for rows whose run is known already: it only cuts the
// key into location and role.
func SplitKey(key string) (location string, role Role, index int) {
	last := strings.LastIndex(key, sep)
	if last < 0 {
		return "", RoleOther, 0
	}
	role, index = parseSuffix([]byte(key[last:]))
	return key[:last], role, index
}

func lastSep(key []byte) int { return bytes.LastIndex(key, []byte(sep)) }

// parseSuffix reads what follows the location, separator included.
func parseSuffix(suffix []byte) (Role, int) {
	switch string(suffix) {
	case SuffixMetadata:
		return RoleMetadata, 0
	case SuffixStatus:
		return RoleStatus, 0
	}
	digits, found := bytes.CutPrefix(suffix[len(sep):], []byte(historyPrefix))
	if !found || len(digits) < 6 || len(digits) > 9 {
		return RoleOther, 0
	}
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' {
			return RoleOther, 0
		}
		n = n*10 + int(d-'0')
	}
	return RoleHistory, n
}

// ParseLocation reads what Location returns. The first actor type in the key
// counts, so that an instance id may contain anything.
func ParseLocation(location string) (Name, bool) {
	start := 0
	if !strings.HasPrefix(location, typeStart) {
		i := strings.Index(location, sep+typeStart)
		if i < 0 {
			return Name{}, false
		}
		start = i + len(sep)
	}
	rest := location[start+len(typeStart):]
	end := strings.Index(rest, sep)
	if end < 0 || !strings.HasSuffix(rest[:end], typeEnd) {
		return Name{}, false
	}
	n := Name{location: location, Instance: rest[end+len(sep):]}
	if start > 0 {
		n.Prefix = location[:start-len(sep)]
	}
	owner := strings.TrimSuffix(rest[:end], typeEnd)
	// A Kubernetes namespace has no dot; an app id outside Kubernetes may.
	dot := strings.IndexByte(owner, '.')
	if dot <= 0 || dot == len(owner)-1 || n.Instance == "" {
		return Name{}, false
	}
	n.Namespace, n.App = owner[:dot], owner[dot+1:]
	return n, true
}

// HistoryKey is the key of a run's i-th history row.
func HistoryKey(location string, i int) string {
	return fmt.Sprintf("%s||history-%06d", location, i)
}
