// Package discovery finds the Dapr to read from when nothing is configured, and
// opens what a component file describes.
//
// The order is fixed, so that the same surroundings give the same source: the
// sidecar that DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT names, else the state store
// of the first components folder that has one. A Catalyst endpoint is never
// taken. What was passed over is told with the reason.
package discovery

import (
	"errors"
	"os"

	"github.com/idem-mcp/idem-mcp/dapr/component"
	"github.com/idem-mcp/idem-mcp/dapr/sidecar"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Surroundings are what discovery looks at. The zero value sees nothing.
type Surroundings struct {
	Getenv func(string) string
	Dir    string // the working directory
	Home   string // the user's
}

// Here are the surroundings of this process.
func Here() Surroundings {
	s := Surroundings{Getenv: os.Getenv}
	s.Dir, _ = os.Getwd()
	s.Home, _ = os.UserHomeDir()
	return s
}

// Config says how to open what is found.
type Config struct {
	Options    history.Options
	MaxMessage int // of a sidecar; its default when 0
}

// Closer is a source that holds a connection.
type Closer interface {
	history.Source
	Close() error
}

// Found is the result of a search.
type Found struct {
	Source Closer   // nil when there is nothing
	Why    string   // why this one: "DAPR_GRPC_PORT is set"
	Passed []string // what was passed over and why, one clause each
}

// Search looks for a sidecar, then for a components folder. Nothing is dialled:
// whether the source answers is told by its Describe. An error means that what
// was found cannot be used as it stands, and what to change.
func Search(s Surroundings, c Config) (Found, error) {
	var found Found
	if s.Getenv == nil {
		s.Getenv = func(string) string { return "" }
	}
	address, token, variable := sidecar.FromEnv(s.Getenv)
	if variable == "" {
		found.Passed = append(found.Passed, "no sidecar: neither DAPR_GRPC_ENDPOINT nor DAPR_GRPC_PORT is set")
	} else {
		if e, err := sidecar.ParseEndpoint(address); err == nil || !isCatalyst(address) {
			if err != nil {
				return found, err
			}
			source, err := sidecar.New(sidecar.Config{Address: address, Token: token, Options: c.Options, MaxMessage: c.MaxMessage, App: s.Getenv("APP_ID")})
			if err != nil {
				return found, err
			}
			found.Source, found.Why = source, variable+" is set ("+e.String()+")"
			return found, nil
		}
		found.Passed = append(found.Passed, variable+" names a Catalyst endpoint, which only the catalyst source reads")
	}
	return folders(s, c, found)
}

func isCatalyst(address string) bool {
	_, err := sidecar.ParseEndpoint(address)
	return catalysthost.IsRefusal(err)
}

func folders(s Surroundings, c Config, found Found) (Found, error) {
	places := component.Places(s.Dir, s.Home, s.Getenv)
	if len(places) == 0 {
		found.Passed = append(found.Passed, "no components folder: none in the usual places of Dapr")
	}
	for _, place := range places {
		pass := func(why string) { found.Passed = append(found.Passed, clean.Line(place, 200)+": "+why) }
		set, err := component.Load(place, s.Getenv)
		if err != nil {
			pass(err.Error())
			continue
		}
		for _, skipped := range set.Skipped {
			pass(skipped)
		}
		chosen, err := set.Pick("")
		if err != nil {
			pass(err.Error())
			continue
		}
		source, err := OpenComponent(set, chosen, c.Options)
		if err != nil {
			pass(err.Error())
			continue
		}
		found.Source, found.Why = source, "component "+clean.Line(chosen.String(), 300)+", in a components folder"
		return found, nil
	}
	return found, nil
}

// Open opens the state store of a component file or folder that somebody named.
// store chooses among several and may be empty.
func Open(path, store string, s Surroundings, c Config) (Found, error) {
	set, err := component.Load(path, s.Getenv)
	if err != nil {
		return Found{}, err
	}
	chosen, err := set.Pick(store)
	if err != nil {
		return Found{}, withSkipped(err, set.Skipped)
	}
	source, err := OpenComponent(set, chosen, c.Options)
	if err != nil {
		return Found{}, err
	}
	return Found{Source: source, Why: "component " + clean.Line(chosen.String(), 300) + " was named", Passed: set.Skipped}, nil
}

func withSkipped(err error, skipped []string) error {
	for _, s := range skipped {
		err = errors.Join(err, errors.New(s))
	}
	return err
}
