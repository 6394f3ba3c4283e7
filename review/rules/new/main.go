// Command new writes the folder of a new rule:
//
//	go run ./review/rules/new -slug unkeyed-queue
//
// Then write the check, the documentation and a "want" line, and run the tests.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/idem-mcp/idem-mcp/review/rules/scaffold"
)

func main() {
	dir := flag.String("dir", "review/rules", "the folder of the rules")
	slug := flag.String("slug", "", "what the rule calls the fault: words with hyphens")
	flag.Parse()
	folder, err := scaffold.New(*dir, *slug)
	if err == nil {
		err = scaffold.WriteAll(*dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "wrote "+folder)
}
