// Package outside joins what is known beside a history (application logs, spans,
// provider lists, intent tables) with the calls of runs, and says how often
// bodies truly ran.
//
// Readers live below: logs, spans, provider, intents. Each turns its input into
// Sightings or Operations; this package knows nothing of formats and does no I/O.
//
//   - Index (index.go) is built from analyses: which ids exist, and whose they are.
//   - Index.Add (body.go) folds a Sighting into the body it is of. Memory grows with
//     the number of bodies of the indexed runs, never with the length of a log.
//   - Index.Settle (settle.go) decides which call a body belongs to, by the strongest
//     rule that holds. It does not depend on the order of the sightings.
//   - Evidence.Findings (verdict.go), causes and blast radius (cause.go) say what
//     follows; Reconcile (reconcile.go) reads intent records against the provider.
//
// Nothing is overclaimed: a body that could belong to two calls is counted for
// neither, and where a log is known to be incomplete every count is "at least".
package outside
