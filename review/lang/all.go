// Package lang lists the languages that can be reviewed.
package lang

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang/csharp"
	"github.com/idem-mcp/idem-mcp/review/lang/golang"
	"github.com/idem-mcp/idem-mcp/review/lang/java"
	"github.com/idem-mcp/idem-mcp/review/lang/js"
	"github.com/idem-mcp/idem-mcp/review/lang/python"
)

// All returns the languages; each file is read by the first that takes its
// extension.
func All() []*review.Language {
	return []*review.Language{
		golang.Language(),
		java.Language(),
		js.JavaScript(),
		js.TypeScript(),
		python.Language(),
		csharp.Language(),
	}
}
