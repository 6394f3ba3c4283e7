// Package release makes what stands in a release beside the archives: the bundle
// that assistants install with a click (.mcpb) and the entry for the MCP registry
// (server.json). Both say the same version, which comes from the tag alone, and the
// tools as package tools defines them.
//
// The build itself is described in .goreleaser.yaml; package licences lists what is
// linked. Nothing here is part of the program.
package release
