// Package gate stands in front of the tools when they are served over HTTP: who
// may ask, how much at once, and what is counted and logged of it.
//
// A request passes, in this order: its Host and Origin (a page in a browser and a
// rebound DNS name are refused), its size, the bearer token (one shared token,
// named tokens hashed at rest, or a JWT of a configured issuer for this server's
// resource address), the rate and the number of requests of its principal, and a
// time limit. Health and the protected-resource metadata of OAuth are answered
// without a token; metrics stand on an address of their own.
//
// Nothing is shared between processes: any number of them may stand behind a load
// balancer, each with its own limits.
//
// What does not belong here: MCP itself (package tools), settings and flags
// (cmd).
package gate
