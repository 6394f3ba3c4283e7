package catalyst

import (
	"bytes"
	"regexp"
	"slices"
	"sync"
)

// secrets knows every token this process has held, so that nothing the server
// or a library says can carry one into an answer, a log line or an error.
type secrets struct {
	mu   sync.Mutex
	held []string
}

const maxSecrets = 64

// add remembers tokens. Very short ones are not searched for: they would blank
// out ordinary text and no authorization server issues them.
func (s *secrets) add(tokens ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tokens {
		if len(t) < 8 || slices.Contains(s.held, t) {
			continue
		}
		s.held = append(s.held, t)
		if len(s.held) > maxSecrets {
			s.held = slices.Delete(s.held, 0, 1)
		}
	}
}

const redacted = "[token]"

// scrub returns b without any token held.
func (s *secrets) scrub(b []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.held {
		if bytes.Contains(b, []byte(t)) {
			b = bytes.ReplaceAll(b, []byte(t), []byte(redacted))
		}
	}
	return b
}

// bearerText finds what looks like a token of anybody's in an error's text.
var bearerText = regexp.MustCompile(`(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{8,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`)

// errorText makes foreign error text fit to be told.
func (s *secrets) errorText(text string) string {
	return bearerText.ReplaceAllString(string(s.scrub([]byte(text))), "${1}"+redacted)
}
