// Command idem-mcp answers whether a workflow activity was executed more than
// once: as shell commands, and as an MCP server for AI assistants.
//
// This package is commands, configuration, logging and wiring. What can be said
// about a run is in package history, how it is said in package tools.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

func main() { os.Exit(realMain()) }

// memoryGoal is a soft bound for the heap. Inputs are bounded so that no answer
// needs more.
const memoryGoal = 400 << 20

// realMain is the one place the process ends from.
func realMain() int {
	debug.SetMemoryLimit(memoryGoal) // the collector works harder rather than grow past it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return execute(ctx, world{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Now: time.Now})
}

// world is what the process gets from outside.
type world struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string
	Now            func() time.Time
}

// Exit codes, the same for every command.
const (
	exitNothing = 0 // answered, and no repeat was found
	exitFound   = 1 // a repeat was found
	exitPartial = 2 // no repeat was found, but not everything could be read
	exitError   = 3 // no answer
)
