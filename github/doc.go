// Package github reads source text from GitHub and GitHub Enterprise: the tree
// of a commit as a file system that the reviewer can read, a pull request's
// commits and changed files, and what a token can do. It only reads: its
// transport refuses every method but GET.
//
// # What goes over the network
//
// A tree is listed with one request (a truncated one folder by folder). Only
// files that the caller wants are fetched, each content once: contents are known
// by their hash, so what base and head share is one fetch, and what was fetched
// is checked against its hash. Many files are taken from the commit's archive,
// two requests instead of hundreds; what the archive lacks or changed
// (.gitattributes can do both) is fetched by its hash.
//
// # What it refuses
//
// Requests go to the configured API host and nowhere else, over https, or http on
// this machine. Redirects stay on that host. The one exception is the archive,
// which GitHub serves from a host of its own: that host is derived from the API's
// and is sent no token. Every answer, file, tree, depth and wait is bounded.
package github
