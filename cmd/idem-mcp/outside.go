package main

import (
	"io"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside/intents"
	"github.com/idem-mcp/idem-mcp/outside/logs"
	"github.com/idem-mcp/idem-mcp/outside/provider"
	"github.com/idem-mcp/idem-mcp/outside/records"
	"github.com/idem-mcp/idem-mcp/tools"
)

// outsideConfig is how logs, spans, provider lists and intent tables are read.
type outsideConfig struct {
	Skew time.Duration `mapstructure:"skew"`
	Log  struct {
		Time      string   `mapstructure:"time"`
		Instance  string   `mapstructure:"instance"`
		Execution string   `mapstructure:"execution_id"`
		Activity  string   `mapstructure:"activity"`
		Event     string   `mapstructure:"event"`
		Body      string   `mapstructure:"body"`
		Key       string   `mapstructure:"key"`
		Task      string   `mapstructure:"task_id"`
		Host      string   `mapstructure:"host"`
		Pattern   string   `mapstructure:"pattern"`
		Start     []string `mapstructure:"start"`
		Effect    []string `mapstructure:"effect"`
		End       []string `mapstructure:"end"`
	} `mapstructure:"log"`
	Provider struct {
		Kind      string `mapstructure:"kind"`
		ID        string `mapstructure:"id"`
		Key       string `mapstructure:"key"`
		Reference string `mapstructure:"reference"`
		Amount    string `mapstructure:"amount"`
		Time      string `mapstructure:"time"`
		Status    string `mapstructure:"status"`
	} `mapstructure:"provider"`
	Intents struct {
		Key      string `mapstructure:"key"`
		State    string `mapstructure:"state"`
		ID       string `mapstructure:"id"`
		Error    string `mapstructure:"error"`
		Time     string `mapstructure:"time"`
		Webhook  string `mapstructure:"webhook"`
		Database string `mapstructure:"database"`
		Query    string `mapstructure:"query"`
	} `mapstructure:"intents"`
}

// maxSkew is the largest difference of clocks that still tells runs apart.
const maxSkew = 10 * time.Minute

// outsideOf turns the settings into what the capabilities take.
func outsideOf(c outsideConfig, stdin io.Reader) (tools.Outside, error) {
	out := tools.Outside{Skew: c.Skew, Stdin: stdin}
	if c.Skew < 0 || c.Skew > maxSkew {
		return out, &fault.Error{Kind: fault.Config, What: "outside.skew must be from 0s to 10m"}
	}
	l := &c.Log
	out.Logs = logs.Mapping{Time: l.Time, Instance: l.Instance, Execution: l.Execution, Activity: l.Activity, Event: l.Event, Body: l.Body, Key: l.Key, Task: l.Task, Host: l.Host, Start: l.Start, Effect: l.Effect, End: l.End}
	if l.Pattern != "" {
		re, err := regexp.Compile(l.Pattern)
		if err != nil {
			return out, &fault.Error{Kind: fault.Config, What: "outside.log.pattern cannot be read", Cause: err, Do: "It is a regular expression in RE2 syntax with named groups (?P<instance>…)"}
		}
		if known := logs.Groups(); !anyOf(re.SubexpNames(), known) {
			return out, &fault.Error{Kind: fault.Config, What: "outside.log.pattern has no group that means anything", Do: "Name groups as " + strings.Join(known, ", ")}
		}
		out.Logs.Pattern = re
	}
	p := &c.Provider
	own := provider.Mapping{Name: "as configured", ID: records.Alternatives(p.ID), Key: records.Alternatives(p.Key), Ref: records.Alternatives(p.Reference), Amount: records.Alternatives(p.Amount), Time: records.Alternatives(p.Time), Status: records.Alternatives(p.Status)}
	switch {
	case p.Kind != "":
		m, err := provider.Named(p.Kind)
		if err != nil {
			return out, err
		}
		out.Provider = m.Over(own)
	case len(own.ID)+len(own.Key)+len(own.Ref) > 0:
		out.Provider = own
	}
	i := &c.Intents
	out.Intents = intents.Mapping{Key: records.Alternatives(i.Key), State: records.Alternatives(i.State), ID: records.Alternatives(i.ID), Error: records.Alternatives(i.Error), Time: records.Alternatives(i.Time), Webhook: records.Alternatives(i.Webhook)}
	out.Database = intents.Database{DSN: i.Database, Query: strings.TrimSpace(i.Query)}
	if q := strings.ToLower(out.Database.Query); q != "" && !strings.HasPrefix(q, "select") && !strings.HasPrefix(q, "with") {
		return out, &fault.Error{Kind: fault.Config, What: "outside.intents.query begins with " + clean.Line(strings.Fields(q)[0], 20), Do: "It must be one SELECT"}
	}
	return out, nil
}

func anyOf(have, known []string) bool {
	for _, h := range have {
		for _, k := range known {
			if h == k {
				return true
			}
		}
	}
	return false
}

// withOutside adds the settings of outside and their defaults.
func withOutside(m map[string]any) map[string]any {
	maps.Copy(m, map[string]any{
		"outside.skew":               "5s",
		"outside.log.time":           "",
		"outside.log.instance":       "",
		"outside.log.execution_id":   "",
		"outside.log.activity":       "",
		"outside.log.event":          "",
		"outside.log.body":           "",
		"outside.log.key":            "",
		"outside.log.task_id":        "",
		"outside.log.host":           "",
		"outside.log.pattern":        "",
		"outside.log.start":          []string{},
		"outside.log.effect":         []string{},
		"outside.log.end":            []string{},
		"outside.provider.kind":      "",
		"outside.provider.id":        "",
		"outside.provider.key":       "",
		"outside.provider.reference": "",
		"outside.provider.amount":    "",
		"outside.provider.time":      "",
		"outside.provider.status":    "",
		"outside.intents.key":        "",
		"outside.intents.state":      "",
		"outside.intents.id":         "",
		"outside.intents.error":      "",
		"outside.intents.time":       "",
		"outside.intents.webhook":    "",
		"outside.intents.database":   "",
		"outside.intents.query":      "",
	})
	return m
}
