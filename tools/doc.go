// Package tools is the product's surface: one file per capability, served as an
// MCP tool and as a shell command from the same definition. A file holds the
// question it answers, the arguments, the answer, one domain call and the text
// rendering; everything that all capabilities share is in define.go,
// arguments.go and answer.go.
//
// Nothing here decides anything about runs; that is package history. Nothing
// outside serve.go knows the MCP library.
package tools

//go:generate go test -run ^TestSchemas$ . -update
