package catalyst

import (
	"encoding/json"

	"github.com/idem-mcp/idem-mcp/history"
)

// readRun hands a run's answer to the reader of histories, as it came.
func readRun(doc json.RawMessage, o history.Options) (*history.Run, error) {
	return history.Read(doc, o)
}
