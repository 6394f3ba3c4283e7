package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/viper"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/gate"
	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

const (
	envPrefix  = "IDEM_MCP"
	localFile  = ".idem-mcp.yaml"
	configFile = "config.yaml" // in the user's configuration directory
)

// config is every setting. config.example.yaml shows each with its default and
// meaning; a test compares the two.
type config struct {
	Source struct {
		Kind       string   `mapstructure:"kind"`
		Paths      []string `mapstructure:"paths"`
		Sidecar    string   `mapstructure:"sidecar"`
		MaxMessage int      `mapstructure:"max_message_mb"`
		Component  string   `mapstructure:"component"`
		Store      string   `mapstructure:"store"`
	} `mapstructure:"source"`
	DataSharing  string `mapstructure:"data_sharing"`
	Fingerprints bool   `mapstructure:"fingerprints"`
	Catalyst     struct {
		URL         string `mapstructure:"url"`
		ClientID    string `mapstructure:"client_id"`
		RedirectURL string `mapstructure:"redirect_url"`
		Project     string `mapstructure:"project"`
		App         string `mapstructure:"app"`
		TokenFile   string `mapstructure:"token_file"`
		Keyring     bool   `mapstructure:"keyring"`
		LevelProbe  bool   `mapstructure:"level_probe"`
	} `mapstructure:"catalyst"`
	Links struct {
		Console string `mapstructure:"console"`
		Project string `mapstructure:"project"`
	} `mapstructure:"links"`
	Review struct {
		Roots []string `mapstructure:"roots"`
	} `mapstructure:"review"`
	GitHub struct {
		URL   string `mapstructure:"url"`
		Token string `mapstructure:"token"`
	} `mapstructure:"github"`
	Effects []effect      `mapstructure:"effects"`
	Outside outsideConfig `mapstructure:"outside"`
	Survey  struct {
		Dir            string  `mapstructure:"dir"`
		ReadsPerSecond float64 `mapstructure:"reads_per_second"`
		Concurrency    int     `mapstructure:"concurrency"`
		RetentionDays  int     `mapstructure:"retention_days"`
		Index          string  `mapstructure:"index"`
		Engine         string  `mapstructure:"engine"`
		Host           string  `mapstructure:"host"`
		EngineDatabase string  `mapstructure:"engine_database"`
		Partitions     int     `mapstructure:"partitions"`
	} `mapstructure:"survey"`
	Serve struct {
		Token      string   `mapstructure:"token"`
		TokenFile  string   `mapstructure:"token_file"`
		TokensFile string   `mapstructure:"tokens_file"`
		Hosts      []string `mapstructure:"hosts"`
		Origins    []string `mapstructure:"origins"`
		OAuth      struct {
			Issuer   string   `mapstructure:"issuer"`
			Resource string   `mapstructure:"resource"`
			JWKS     string   `mapstructure:"jwks_url"`
			Scopes   []string `mapstructure:"scopes"`
		} `mapstructure:"oauth"`
		Limits struct {
			PerMinute  int `mapstructure:"per_minute"`
			Concurrent int `mapstructure:"concurrent"`
			Seconds    int `mapstructure:"seconds"`
		} `mapstructure:"limits"`
		TLSCert string `mapstructure:"tls_cert"`
		TLSKey  string `mapstructure:"tls_key"`
		Metrics string `mapstructure:"metrics"`
		Audit   bool   `mapstructure:"audit"`
	} `mapstructure:"serve"`
	Log struct {
		Level string `mapstructure:"level"`
	} `mapstructure:"log"`

	// levelStated: somebody configured data_sharing. Catalyst is told a level "as
	// configured" only then; local sources have a default.
	levelStated bool
	getenv      func(string) string
}

// effect is a team's own wrapper: what one call of it does. See
// docs/review.md for the classes.
type effect struct {
	Import   string `mapstructure:"import"`
	Receiver string `mapstructure:"receiver"`
	Name     string `mapstructure:"name"`
	Class    string `mapstructure:"class"`
	Key      string `mapstructure:"key"`
}

// effectClasses are the values of effects[].class.
func effectClasses() []string {
	return []string{"insert", "create", "charge", "message", "publish", "increment", "append", "put", "delete", "start", "spend", "llm", "read", "none"}
}

// row is the reviewer's form of a wrapper. Names compare in normal form.
func (e effect) row() knowledge.Row {
	return knowledge.Row{Lib: e.Import, Recv: knowledge.Norm(e.Receiver), Name: knowledge.Norm(e.Name), Class: knowledge.Class(e.Class), Key: e.Key}
}

// defaults names every key. A key that is not here does not exist.
func defaults() map[string]any {
	return withOutside(map[string]any{
		"source.kind":             "auto",
		"source.paths":            []string{},
		"source.sidecar":          "",
		"source.max_message_mb":   64,
		"source.component":        "",
		"source.store":            "",
		"data_sharing":            "metadata",
		"fingerprints":            false,
		"catalyst.url":            catalyst.DefaultServer,
		"catalyst.client_id":      "",
		"catalyst.redirect_url":   "http://127.0.0.1/callback",
		"catalyst.project":        "default",
		"catalyst.app":            "",
		"catalyst.token_file":     "",
		"catalyst.keyring":        true,
		"catalyst.level_probe":    true,
		"links.console":           "",
		"links.project":           "",
		"review.roots":            []string{},
		"github.url":              github.DefaultURL,
		"github.token":            "",
		"effects":                 []any{},
		"survey.dir":              "",
		"survey.reads_per_second": 0,
		"survey.concurrency":      4,
		"survey.retention_days":   90,
		"survey.index":            "",
		"survey.engine":           "in-process",
		"survey.host":             "127.0.0.1:7338",
		"survey.engine_database":  "",
		"survey.partitions":       16,
		"serve.token":             "",
		"serve.token_file":        "",
		"serve.hosts":             []string{},
		"serve.origins":           []string{},
		"serve.tokens_file":       "",
		"serve.oauth.issuer":      "",
		"serve.oauth.resource":    "",
		"serve.oauth.jwks_url":    "",
		"serve.oauth.scopes":      []string{},
		"serve.limits.per_minute": 300,
		"serve.limits.concurrent": 8,
		"serve.limits.seconds":    120,
		"serve.tls_cert":          "",
		"serve.tls_key":           "",
		"serve.metrics":           "",
		"serve.audit":             true,
		"log.level":               "warn",
	})
}

// guarded keys may not stand in a file of the working directory, which a cloned
// repository can bring along: they name where credentials go, and who may ask.
var guarded = [...]string{"catalyst.", "github.", "serve.", "survey.", "review.roots", "source.sidecar", "source.component", "data_sharing", "fingerprints", "outside.intents.database", "outside.intents.query"}

// load reads the configuration: defaults, then the first file found, then the
// environment. Flags win over all of it where they exist.
func load(path string, env []string) (config, error) {
	var c config
	v := viper.New()
	known := make([]string, 0, 16)
	for k, d := range defaults() {
		v.SetDefault(k, d)
		known = append(known, k)
	}
	slices.Sort(known)
	file, local, err := findConfig(path, env)
	if err != nil {
		return c, err
	}
	if file != "" {
		if err := readConfig(v, file, local, known); err != nil {
			return c, err
		}
	}
	if err := readEnvironment(v, env, known); err != nil {
		return c, err
	}
	if err := v.UnmarshalExact(&c); err != nil {
		return c, &fault.Error{Kind: fault.Config, What: "read the configuration", Cause: errors.New(clean.Line(err.Error(), 300))}
	}
	c.getenv = func(name string) string { value, _ := lookup(env, name); return value }
	c.levelStated = v.InConfig("data_sharing") || c.getenv(envPrefix+"_DATA_SHARING") != ""
	return c, c.check()
}

// findConfig returns the file to read: the one named, that of the environment,
// one in the working directory (local), or the user's.
func findConfig(path string, env []string) (file string, local bool, err error) {
	if path == "" {
		path, _ = lookup(env, envPrefix+"_CONFIG")
	}
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", false, &fault.Error{Kind: fault.Config, What: "there is no configuration file " + path}
		}
		return path, false, nil
	}
	if _, err := os.Stat(localFile); err == nil {
		return localFile, true, nil
	}
	dir, ok := lookup(env, "XDG_CONFIG_HOME")
	if !ok || dir == "" {
		home, _ := lookup(env, "HOME")
		if home == "" {
			return "", false, nil
		}
		dir = filepath.Join(home, ".config")
	}
	file = filepath.Join(dir, "idem-mcp", configFile)
	if _, err := os.Stat(file); err != nil {
		return "", false, nil //nolint:nilerr // no file is the usual case
	}
	return file, false, nil
}

func readConfig(v *viper.Viper, file string, local bool, known []string) error {
	own := viper.New() // alone, so that its keys can be told from the defaults
	own.SetConfigFile(file)
	own.SetConfigType("yaml")
	if err := own.ReadInConfig(); err != nil {
		return &fault.Error{Kind: fault.Config, What: "read " + file, Cause: errors.New(clean.Line(err.Error(), 300))}
	}
	for _, k := range own.AllKeys() {
		if !slices.Contains(known, k) {
			return unknownKey(fmt.Sprintf("%s has the unknown key %q", file, clean.Line(k, 80)), k, known)
		}
		for _, g := range guarded {
			if local && strings.HasPrefix(k, g) {
				return &fault.Error{Kind: fault.Config, What: fmt.Sprintf("%s sets %s, which a file in the working directory may not", file, k),
					Do: "Set it in your own configuration file or the environment"}
			}
		}
	}
	return v.MergeConfigMap(own.AllSettings())
}

// readEnvironment takes IDEM_MCP_SERVE_TOKEN for serve.token. Lists are
// separated by commas. A token of Catalyst is no setting: it has no key that a file
// could set, and whoever needs it asks for it.
func readEnvironment(v *viper.Viper, env []string, known []string) error {
	variables := map[string]string{}
	names := make([]string, 0, len(known))
	for _, k := range known {
		name := envPrefix + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(k))
		variables[name] = k
		names = append(names, name)
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, envPrefix+"_") || name == envPrefix+"_CONFIG" || name == catalyst.TokenEnv || strings.HasPrefix(name, envPrefix+"_TEST_") {
			continue
		}
		k, ok := variables[name]
		if !ok {
			return unknownKey("the environment sets the unknown "+clean.Line(name, 80), name, names)
		}
		v.Set(k, value)
	}
	return nil
}

func unknownKey(what, key string, known []string) error {
	e := &fault.Error{Kind: fault.Config, What: what, Do: "The keys are " + strings.Join(known, ", ")}
	if n := nearest.Of(key, known); n != "" {
		e.Do = fmt.Sprintf("Did you mean %s? %s", n, e.Do)
	}
	return e
}

func (c config) check() error {
	for _, x := range [...]struct {
		key, value string
		allowed    []string
	}{
		{"source.kind", c.Source.Kind, sourceKinds()},
		{"data_sharing", c.DataSharing, []string{"metadata", "full"}},
		{"survey.engine", c.Survey.Engine, []string{"in-process", "host", "dapr"}},
		{"log.level", c.Log.Level, logLevels()},
	} {
		if !slices.Contains(x.allowed, x.value) {
			e := &fault.Error{Kind: fault.Config, What: fmt.Sprintf("%s cannot be %q", x.key, clean.Line(x.value, 60)), Do: "It can be " + strings.Join(x.allowed, ", ")}
			if n := nearest.Of(x.value, x.allowed); n != "" {
				e.Do = fmt.Sprintf("Did you mean %q? %s", n, e.Do)
			}
			return e
		}
	}
	for i, e := range c.Effects {
		if e.Name == "" || !slices.Contains(effectClasses(), e.Class) {
			return &fault.Error{Kind: fault.Config, What: fmt.Sprintf("effects[%d] needs a name and a class", i), Do: "A class is one of " + strings.Join(effectClasses(), ", ")}
		}
	}
	if c.Source.MaxMessage < 1 || c.Source.MaxMessage > 1024 {
		return &fault.Error{Kind: fault.Config, What: "source.max_message_mb must be from 1 to 1024"}
	}
	if c.Survey.Concurrency < 1 || c.Survey.Concurrency > 64 || c.Survey.Partitions < 1 || c.Survey.Partitions > 256 || c.Survey.RetentionDays < 0 {
		return &fault.Error{Kind: fault.Config, What: "survey.concurrency must be from 1 to 64, survey.partitions from 1 to 256, and survey.retention_days not below 0"}
	}
	if c.Serve.Token != "" && c.Serve.TokenFile != "" {
		return &fault.Error{Kind: fault.Config, What: "both serve.token and serve.token_file are set", Do: "Keep one"}
	}
	return nil
}

// token returns the bearer token of the HTTP server; empty when none is set.
func (c config) token() (string, error) {
	if c.Serve.TokenFile == "" {
		return c.Serve.Token, nil
	}
	b, err := os.ReadFile(c.Serve.TokenFile)
	if err != nil {
		return "", &fault.Error{Kind: fault.Config, What: "read serve.token_file", Cause: err}
	}
	t := strings.TrimSpace(string(b))
	if t == "" {
		return "", &fault.Error{Kind: fault.Config, What: "serve.token_file is empty"}
	}
	return t, nil
}

// gate is the configuration of the HTTP server's gate.
func (c config) gate() (gate.Config, error) {
	token, err := c.token()
	if err != nil {
		return gate.Config{}, err
	}
	s := c.Serve
	out := gate.Config{Token: token, Hosts: s.Hosts, Origins: s.Origins,
		Limits: gate.Limits{PerMinute: s.Limits.PerMinute, Concurrent: s.Limits.Concurrent, Time: time.Duration(s.Limits.Seconds) * time.Second}}
	if s.TokensFile != "" {
		if out.Tokens, err = gate.ReadTokens(s.TokensFile); err != nil {
			return out, err
		}
	}
	if o := s.OAuth; o.Issuer != "" || o.Resource != "" || o.JWKS != "" {
		out.OAuth = &gate.OAuth{Issuer: o.Issuer, Resource: o.Resource, JWKS: o.JWKS, Scopes: o.Scopes}
	}
	return out, nil
}

// lookup finds a variable in an environment list.
func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}
