// Package component reads Dapr component files as far as a state store's
// connection goes: multi-document YAML, metadata values, secretKeyRef through
// the local file and environment secret stores, envRef.
//
// A secret is resolved only for the component that is opened, and no type here
// has a printable form that holds a value.
package component

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// maxFile bounds a component file; larger YAML in a components folder is
// something else.
const maxFile = 1 << 20

// Component is one component as its file has it, secrets not resolved.
type Component struct {
	Name, Namespace, Type, Version string
	Path                           string // the file
	SecretStore                    string // auth.secretStore
	Scopes                         []string

	values map[string]entry // by lower-case name
}

// entry is a metadata item: a value or where to take it from.
type entry struct {
	value               string
	secretName, secretK string
	env                 string
}

// String names the component and its file, never its values.
func (c Component) String() string { return fmt.Sprintf("%s (%s) in %s", c.Name, c.Type, c.Path) }

// GoString is String, so that %#v tells no value either.
func (c Component) GoString() string { return c.String() }

// Plain returns an item that is written in the file itself; items that are
// secrets are not, and come from Set.Resolve.
func (c Component) Plain(name string) string { return c.values[strings.ToLower(name)].value }

// IsState reports whether the component is a state store.
func (c Component) IsState() bool { return strings.HasPrefix(c.Type, "state.") }

// KeepsWorkflows reports whether the component says that it is the store for
// actors, which is where workflows are.
func (c Component) KeepsWorkflows() bool { return truthy(c.Plain("actorStateStore")) }

func truthy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "y", "yes", "true", "t", "on", "1":
		return true
	}
	return false
}

// Set is the components of one place, and what was passed over there.
type Set struct {
	Components []Component
	Skipped    []string // a file and why, one clause each

	stores []Component // secret stores beside a file that was named alone
	getenv func(string) string
}

// Load reads a component file or every .yaml and .yml file of a folder. getenv
// is where envRef and the environment secret store look; os.Getenv when nil. A
// named file that cannot be read is an error, one file of a folder is skipped.
func Load(path string, getenv func(string) string) (Set, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	set := Set{getenv: getenv}
	info, err := os.Stat(path)
	if err != nil {
		return set, unreadable(path, err)
	}
	if !info.IsDir() {
		if set.Components, err = parseFile(path); err != nil {
			return set, err
		}
		if len(set.Components) == 0 {
			return set, &fault.Error{Kind: fault.BadInput, What: path + " holds no Dapr component", Do: "Name a file with kind: Component, or its folder"}
		}
		// Its secret store often stands in a file beside it.
		beside := Set{getenv: getenv}
		if beside.folder(filepath.Dir(path)) == nil {
			set.stores = beside.Components
		}
		return set, nil
	}
	return set, set.folder(path)
}

// folder reads the component files of a folder.
func (s *Set) folder(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return unreadable(path, err)
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || (ext != ".yaml" && ext != ".yml") {
			continue
		}
		file := filepath.Join(path, e.Name())
		found, err := parseFile(file)
		if err != nil {
			s.Skipped = append(s.Skipped, err.Error())
		}
		s.Components = append(s.Components, found...)
	}
	return nil
}

func unreadable(path string, err error) error {
	f := &fault.Error{Kind: fault.Config, What: "read component " + clean.Line(path, 300), Cause: errors.Unwrap(err)}
	if errors.Is(err, os.ErrPermission) {
		f.Kind, f.Do = fault.Forbidden, "Let this user read it"
	}
	return f
}

// document is the part of a component's YAML that matters here.
type document struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name      string `yaml:"name"`
		Namespace string `yaml:"namespace"`
	} `yaml:"metadata"`
	Spec struct {
		Type     string `yaml:"type"`
		Version  string `yaml:"version"`
		Metadata []struct {
			Name         string    `yaml:"name"`
			Value        yaml.Node `yaml:"value"`
			SecretKeyRef struct {
				Name string `yaml:"name"`
				Key  string `yaml:"key"`
			} `yaml:"secretKeyRef"`
			EnvRef string `yaml:"envRef"`
		} `yaml:"metadata"`
	} `yaml:"spec"`
	Auth struct {
		SecretStore string `yaml:"secretStore"`
	} `yaml:"auth"`
	Scopes []string `yaml:"scopes"`
}

func parseFile(path string) ([]Component, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	if len(data) > maxFile {
		return nil, &fault.Error{Kind: fault.TooLarge, What: "read component " + clean.Line(path, 300), Means: "a component file is smaller than 1 MiB"}
	}
	return Parse(data, path)
}

// Parse reads the components of one file's text; documents of other kinds are
// passed over. path is told in errors and kept.
func Parse(data []byte, path string) ([]Component, error) {
	var out []Component
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for n := 1; ; n++ {
		var d document
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			// The decoder's text may quote a value, so it is not told.
			return out, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("read component %s: document %d is not a component's YAML", clean.Line(path, 300), n), Do: "Check it with a YAML linter"}
		}
		if d.Kind != "Component" || d.Spec.Type == "" {
			continue
		}
		out = append(out, d.component(path))
	}
}

func (d *document) component(path string) Component {
	c := Component{
		Name: d.Metadata.Name, Namespace: d.Metadata.Namespace, Type: strings.ToLower(d.Spec.Type), Version: strings.ToLower(d.Spec.Version),
		Path: path, SecretStore: d.Auth.SecretStore, Scopes: d.Scopes, values: make(map[string]entry, len(d.Spec.Metadata)),
	}
	if c.Version == "" {
		c.Version = "v1"
	}
	for _, m := range d.Spec.Metadata {
		e := entry{secretName: m.SecretKeyRef.Name, secretK: m.SecretKeyRef.Key, env: m.EnvRef}
		if m.Value.Kind == yaml.ScalarNode && m.Value.Tag != "!!null" {
			e.value = m.Value.Value
		}
		c.values[strings.ToLower(m.Name)] = e
	}
	return c
}

// Pick chooses the state store: the one of that name, else the one that keeps
// actors, else the only one.
func (s Set) Pick(name string) (Component, error) {
	var states, actors []Component
	var names []string
	for _, c := range s.Components {
		if !c.IsState() {
			continue
		}
		if name != "" && c.Name == name {
			return c, nil
		}
		states = append(states, c)
		names = append(names, c.Name)
		if c.KeepsWorkflows() {
			actors = append(actors, c)
		}
	}
	sort.Strings(names)
	list := clean.Line(strings.Join(names, ", "), 300)
	switch {
	case len(states) == 0:
		return Component{}, &fault.Error{Kind: fault.NotFound, What: "there is no state store among the components", Do: "Name the component's file, or use the sidecar"}
	case name != "":
		return Component{}, &fault.Error{Kind: fault.NotFound, What: "there is no state store named " + clean.Line(name, 100), Do: "Name one of: " + list}
	case len(actors) == 1:
		return actors[0], nil
	case len(states) == 1:
		return states[0], nil
	}
	return Component{}, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("there are %d state stores", len(states)), Do: "Name one of: " + list}
}
