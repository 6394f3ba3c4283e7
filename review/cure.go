package review

import (
	"fmt"
	"time"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Provider is what is known of the system an effect acts on, nil if nothing.
func (e *Effect) Provider() *knowledge.Provider {
	if e.Row != nil {
		if p := knowledge.ProviderByID(e.Row.Provider); p != nil {
			return p
		}
	}
	return knowledge.ProviderFor(e.KeyName, e.URL)
}

// Cure is the fix in the provider's own words where it is known, with its
// source, else the fix of the rule.
func (e *Effect) Cure(fix string) string {
	p := e.Provider()
	if p == nil {
		return fix
	}
	verified := ""
	if !p.Verified {
		verified = ", unverified"
	}
	if p.Source != "" {
		verified += ", " + p.Source
	}
	if p.Key == "" {
		return fmt.Sprintf("%s takes no key (%s; %s%s): claim the operation with a conditional insert before the call, and reconcile a claim without outcome", p.Name, p.Condition, knowledge.ProvidersChecked, verified)
	}
	return fmt.Sprintf("%s: pass %s, made of the input (%s; %s%s)", p.Name, p.Key, p.Condition, knowledge.ProvidersChecked, verified)
}

// Span spells a duration the way people say it.
func Span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return d.String()
}
