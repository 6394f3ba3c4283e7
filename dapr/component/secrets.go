package component

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Settings is a component's metadata with its secrets. It prints as its
// component does.
type Settings struct {
	Component
	resolved map[string]string
}

// Get returns the first of the items that is set, whatever their case.
func (s Settings) Get(names ...string) string {
	for _, n := range names {
		if v := s.resolved[strings.ToLower(n)]; v != "" {
			return v
		}
	}
	return ""
}

// Bool reads an item as Dapr reads booleans.
func (s Settings) Bool(name string) bool { return truthy(s.Get(name)) }

// Resolve takes the component's secrets from where it keeps them.
func (s Set) Resolve(c Component) (Settings, error) {
	out := Settings{Component: c, resolved: make(map[string]string, len(c.values))}
	for name, e := range c.values {
		switch {
		case e.secretName != "":
			v, err := s.secret(c, e)
			if err != nil {
				return Settings{}, err
			}
			out.resolved[name] = v
		case e.env != "":
			v := s.getenv(e.env)
			if v == "" {
				return Settings{}, missing(c, "environment variable "+clean.Line(e.env, 100)+" is not set")
			}
			out.resolved[name] = v
		default:
			out.resolved[name] = e.value
		}
	}
	return out, nil
}

func missing(c Component, why string) error {
	return &fault.Error{
		Kind: fault.Config, What: "component " + clean.Line(c.Name, 100) + " in " + c.Path + ": " + why,
		Means: "the store cannot be opened", Do: "Provide the secret, or use the sidecar (source: sidecar), which has it",
	}
}

func (s Set) secret(c Component, e entry) (string, error) {
	store, ok := s.find(c.SecretStore)
	if !ok {
		name := c.SecretStore
		if name == "" {
			name = "kubernetes (the default)"
		}
		return "", missing(c, "secret store "+clean.Line(name, 100)+" is not among the components here")
	}
	switch store.Type {
	case "secretstores.local.env":
		return s.fromEnv(c, store, e)
	case "secretstores.local.file":
		return s.fromFile(c, store, e)
	}
	return "", missing(c, "secret store "+clean.Line(store.Name, 100)+" is of type "+clean.Line(store.Type, 100)+", which is not read from here (only local.file and local.env are)")
}

func (s Set) find(name string) (Component, bool) {
	for _, c := range append(s.Components[:len(s.Components):len(s.Components)], s.stores...) {
		if c.Name == name && strings.HasPrefix(c.Type, "secretstores.") {
			return c, true
		}
	}
	return Component{}, false
}

func (s Set) fromEnv(c, store Component, e entry) (string, error) {
	name := store.Plain("prefix") + e.secretName
	// Dapr's own store refuses these too.
	if strings.HasPrefix(strings.ToUpper(name), "DAPR_") || strings.ToUpper(name) == "APP_API_TOKEN" {
		return "", missing(c, "environment variable "+clean.Line(name, 100)+" is not given out by Dapr's secret store")
	}
	if v := s.getenv(name); v != "" {
		return v, nil
	}
	return "", missing(c, "environment variable "+clean.Line(name, 100)+" is not set")
}

func (s Set) fromFile(c, store Component, e entry) (string, error) {
	file := store.Plain("secretsFile")
	data, path, err := readNear(file, filepath.Dir(store.Path))
	if err != nil {
		return "", missing(c, "the secrets file "+clean.Line(file, 200)+" cannot be read")
	}
	var tree map[string]any
	if json.Unmarshal(data, &tree) != nil {
		return "", missing(c, "the secrets file "+path+" is not a JSON object")
	}
	separator := store.Plain("nestedSeparator")
	if separator == "" {
		separator = ":"
	}
	flat := map[string]string{}
	flatten(tree, "", separator, flat)
	names := []string{e.secretName + separator + e.secretK}
	if e.secretK == "" || e.secretK == e.secretName {
		names = []string{e.secretName}
	}
	for _, n := range names {
		if v, ok := flat[n]; ok {
			return v, nil
		}
	}
	return "", missing(c, "secret "+clean.Line(names[0], 100)+" is not in "+path)
}

// readNear reads a file whose relative path is relative to where the sidecar
// runs: the working directory, the component's folder or the one above.
func readNear(file, dir string) (data []byte, path string, err error) {
	for _, d := range []string{"", dir, filepath.Dir(dir)} {
		path = file
		if !filepath.IsAbs(file) {
			path = filepath.Join(d, file)
		}
		info, serr := os.Stat(path)
		if serr != nil {
			err = serr
			continue
		}
		if info.Size() > maxFile {
			return nil, path, &fault.Error{Kind: fault.TooLarge, What: "read " + path}
		}
		data, err = os.ReadFile(path)
		return data, path, err
	}
	return nil, path, err
}

func flatten(tree map[string]any, prefix, separator string, out map[string]string) {
	for k, v := range tree {
		switch v := v.(type) {
		case map[string]any:
			flatten(v, prefix+k+separator, separator, out)
		case string:
			out[prefix+k] = v
		default:
			if b, err := json.Marshal(v); err == nil {
				out[prefix+k] = string(b)
			}
		}
	}
}
