// Command cmd runs the lab on randomly planned runs and prints its table. It
// exits with 1 when an answer claims more than the ledger bears out.
//
//	go run ./internal/lab/cmd -runs 2000 -seed 7
//
// With -shop it makes the run histories of examples/shop instead:
//
//	go run ./internal/lab/cmd -shop examples/shop/runs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/lab"
)

func main() {
	runs := flag.Int("runs", 500, "how many runs")
	seed := flag.Uint64("seed", 1, "seed of the plans")
	out := flag.String("o", "", "write the table to this file instead of standard output")
	keep := flag.String("keep", "", "keep databases and ledgers in this new directory")
	shop := flag.String("shop", "", "write the run histories of the example shop to this directory, and nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var problems []string
	var err error
	if *shop != "" {
		err = makeShop(ctx, *shop)
	} else {
		problems, err = run(ctx, *runs, *seed, *out, *keep)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, runs int, seed uint64, out, keep string) (problems []string, err error) {
	dir := keep
	if keep != "" {
		err = os.Mkdir(keep, 0o700)
	} else if dir, err = os.MkdirTemp("", "lab"); err == nil {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err != nil {
		return nil, err
	}
	results, err := lab.Run(ctx, dir, lab.Random(seed, runs))
	if err != nil {
		return nil, err
	}
	verdicts, problems, err := lab.JudgeAll(results, history.Sharing{Level: history.LevelFull, How: "as configured"})
	if err != nil {
		return problems, err
	}
	report := fmt.Sprintf("# Lab: %d random runs, seed %d\n\n%s", runs, seed, lab.Report(results, verdicts))
	if out != "" {
		return problems, os.WriteFile(out, []byte(report), 0o644)
	}
	_, err = fmt.Print(report)
	return problems, err
}

func makeShop(ctx context.Context, out string) (err error) {
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return lab.Shop(ctx, dir, out)
}
