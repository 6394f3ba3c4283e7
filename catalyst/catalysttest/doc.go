// Package catalysttest is a stand-in for the Catalyst MCP server and its
// authorization server. It is made from what is public about Catalyst, for
// tests and for trying idem-mcp without an account; it is not Catalyst, and no
// recorded answer of Catalyst went into it.
//
// What is not known of the real answers is an option here (Schema): which
// argument names a tool publishes, whether an answer comes as text or as
// structured content, under which key the events are, how an event tells its
// type. A client that depends on one of them fails against another.
//
// The runs it serves are real Dapr histories (testdata/runs), reshaped.
package catalysttest
