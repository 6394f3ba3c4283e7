package sourcetest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/dapr/durabletask-go/api/protos"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/idem-mcp/idem-mcp/history"
)

// Real runs of a Dapr 1.18 runtime (SQLite store, Go SDK): clean, retried to
// exhaustion, empty payloads, unicode, running, continued as new (generation
// 5), rerun from the middle, a parent with a child.
//
//go:embed testdata
var testdata embed.FS

// App and Namespace are what every stored run belongs to.
const (
	App       = "orders"
	Namespace = "default"
)

// Stored is one run as a runtime stored it, in the encodings a stand-in may
// need.
type Stored struct {
	Instance string
	Workflow string
	Status   history.Status
	Created  time.Time
	// Generation is what the metadata row says.
	Generation uint64
	// Events holds the protobuf events in stored order; Messages the same,
	// decoded.
	Events   [][]byte
	Messages []*protos.HistoryEvent
	// Lines is the same history as protojson, one event a line.
	Lines []byte
	// MetadataJSON is the run's metadata as the API gives it.
	MetadataJSON []byte
}

// Row is one row of a state store.
type Row struct {
	Key   string
	Value []byte
}

// Rows returns the run's rows as a runtime writes them.
func (s Stored) Rows() []Row { return s.RowsOf(App, Namespace) }

// RowsOf is Rows for another app or namespace.
func (s Stored) RowsOf(app, namespace string) []Row {
	prefix := fmt.Sprintf("%s||dapr.internal.%s.%s.workflow||%s||", app, namespace, app, s.Instance)
	var meta []byte
	meta = protowire.AppendVarint(protowire.AppendTag(meta, 2, protowire.VarintType), uint64(len(s.Events)))
	meta = protowire.AppendVarint(protowire.AppendTag(meta, 3, protowire.VarintType), s.Generation)
	rows := []Row{{prefix + "metadata", meta}, {prefix + "customStatus", []byte{}}}
	for i, e := range s.Events {
		rows = append(rows, Row{fmt.Sprintf("%shistory-%06d", prefix, i), e})
	}
	return rows
}

// State is what GetInstance answers for the run.
func (s Stored) State() *protos.WorkflowState {
	w := &protos.WorkflowState{InstanceId: s.Instance, Name: s.Workflow}
	for _, m := range s.Messages {
		w.LastUpdatedTimestamp = m.GetTimestamp()
		if m.GetExecutionStarted() != nil {
			w.CreatedTimestamp = m.GetTimestamp()
		}
		if c := m.GetExecutionCompleted(); c != nil {
			w.WorkflowStatus = c.GetWorkflowStatus()
		}
	}
	return w
}

// Runs returns the stored runs, in the order of their ids.
func Runs(t testing.TB) []Stored {
	t.Helper()
	out, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Load is Runs for programs that are no test.
func Load() ([]Stored, error) {
	dirs, err := testdata.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var out []Stored
	for _, d := range dirs {
		s, err := load(d.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
		out = append(out, s)
	}
	return out, nil
}

func load(name string) (Stored, error) {
	var s Stored
	var err error
	if s.Lines, err = testdata.ReadFile("testdata/" + name + "/history.ndjson"); err != nil {
		return s, err
	}
	if s.MetadataJSON, err = testdata.ReadFile("testdata/" + name + "/metadata.json"); err != nil {
		return s, err
	}
	var meta struct {
		InstanceID       string    `json:"instanceId"`
		Name             string    `json:"name"`
		RuntimeStatus    string    `json:"runtimeStatus"`
		CreatedAt        time.Time `json:"createdAt"`
		StoreMetadataRow struct {
			Generation uint64 `json:"generation"`
		} `json:"storeMetadataRow"`
	}
	if err := json.Unmarshal(s.MetadataJSON, &meta); err != nil {
		return s, err
	}
	s.Instance, s.Workflow, s.Created, s.Generation = meta.InstanceID, meta.Name, meta.CreatedAt, meta.StoreMetadataRow.Generation
	s.Status = history.ParseStatus(meta.RuntimeStatus)
	for line := range bytes.SplitSeq(bytes.TrimSpace(s.Lines), []byte("\n")) {
		m := new(protos.HistoryEvent)
		if err := protojson.Unmarshal(line, m); err != nil {
			return s, err
		}
		raw, err := proto.Marshal(m)
		if err != nil {
			return s, err
		}
		s.Messages, s.Events = append(s.Messages, m), append(s.Events, raw)
	}
	return s, nil
}
