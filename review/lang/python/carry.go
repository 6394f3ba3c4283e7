package python

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// carried turns a call that has another thread or loop run a function into the
// call of that function: asyncio.to_thread(f, x), loop.run_in_executor(None, f, x),
// executor.submit(f, x), sync_to_async(f)(x), partial(f, x)(y).
func carried(e *review.Expr) *review.Expr {
	f, args := -1, e.Args
	switch name(e.X) {
	case "to_thread", "run_in_threadpool":
		f = 0
	case "run_sync": // anyio.to_thread.run_sync(f, x)
		if name(e.X.X) == "to_thread" {
			f = 0
		}
	case "submit": // a pool of concurrent.futures
		if in := strings.ToLower(name(e.X.X)); strings.Contains(in, "executor") || strings.Contains(in, "pool") {
			f = 0
		}
	case "run_in_executor":
		f = 1
	}
	if f < 0 || f >= len(args) || !callable(args[f]) {
		in := e.X
		if in == nil || in.Op != review.OpCall || len(in.Args) == 0 || !callable(in.Args[0]) {
			return e
		}
		switch name(in.X) {
		case "sync_to_async", "database_sync_to_async", "async_to_sync", "partial":
		default:
			return e
		}
		all := append([]review.Arg(nil), in.Args[1:]...)
		if name(in.X) != "partial" { // thread_sensitive=True and the like
			all = nil
		}
		f, args = 0, append(append([]review.Arg{in.Args[0]}, all...), e.Args...)
	}
	out := *e
	out.X, out.Args = args[f].Value, args[f+1:]
	if out.X.Op == review.OpCall { // to_thread(partial(f, x))
		return carried(&out)
	}
	return &out
}

// name is the last name of a callee.
func name(e *review.Expr) string {
	if e == nil || e.Op != review.OpName && e.Op != review.OpMember {
		return ""
	}
	return e.Name
}

func callable(a review.Arg) bool {
	if a.Value == nil || a.Spread || a.Name != "" {
		return false
	}
	switch a.Value.Op {
	case review.OpName, review.OpMember, review.OpLambda, review.OpCall:
		return true
	}
	return false
}
