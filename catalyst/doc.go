// Package catalyst reads workflow runs from Diagrid Catalyst through Catalyst's
// own MCP server. It is a history.Source and nothing more: every call it makes
// is on its list of read tools and declared read-only by the server.
//
// The answers of that server are not public, so the client is driven by the
// input schemas that the server publishes and reads answers tolerantly; an
// answer it cannot recognise is an error ("not recognised"), never an empty
// result. The organization's data-sharing level is taken from evidence in a
// fixed order (see sharing.go) and never guessed.
//
// Tokens live in this package only: they are sent to the server they were made
// for and nowhere else, and everything the server says is searched for them
// before it becomes an answer or an error.
//
// What does not belong here: reading events (package history), console links
// (package links), configuration files and flags (cmd).
package catalyst
