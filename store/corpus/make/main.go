// Command make writes a synthetic session database for trying things at size:
//
//	go run ./store/corpus/make -messages 100000 FILE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"hermes-sessions/store/corpus"
)

func main() {
	c := corpus.S()
	flag.IntVar(&c.Messages, "messages", c.Messages, "how many messages in all")
	flag.IntVar(&c.Longest, "longest", c.Longest, "messages of the longest session (0: 20000, at most a fifth)")
	flag.Uint64Var(&c.Seed, "seed", c.Seed, "which history")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: make [-messages N] [-longest N] [-seed N] FILE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := corpus.Make(ctx, flag.Arg(0), c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
