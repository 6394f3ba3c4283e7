// Command gen writes all.go from the rule folders.
package main

import (
	"fmt"
	"os"

	"github.com/idem-mcp/idem-mcp/review/rules/scaffold"
)

func main() {
	if err := scaffold.WriteAll("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
