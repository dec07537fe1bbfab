// Command corpus makes the session databases that benchmarks run on, always the
// same ones, and says how far it is. Interrupted, it goes on where it was when
// it is run again.
//
//	go run -C internal/tools ./bench/corpus M                       into the user's cache folder; also S, L and XL, and M31 for schema 31
//	go run -C internal/tools ./bench/corpus -messages 100000 FILE   into a new file, for trying things at size
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"hermes-sessions/internal/testing/corpus"
)

func main() {
	var c corpus.Config
	flag.IntVar(&c.Messages, "messages", corpus.S().Messages, "of a FILE: how many messages in all")
	flag.IntVar(&c.Longest, "longest", 0, "of a FILE: messages of the longest session (0: 20000, at most a fifth)")
	flag.Uint64Var(&c.Seed, "seed", corpus.S().Seed, "of a FILE: which history")
	flag.IntVar(&c.Schema, "schema", 0, "of a FILE: its schema, from 26 on (0: 11)")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: corpus S|M|L|XL|M31, or corpus [-messages N] [-longest N] [-seed N] [-schema N] FILE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var last time.Time
	tell := func(progress string) {
		if time.Since(last) >= time.Second {
			last = time.Now()
			fmt.Fprintln(os.Stderr, progress)
		}
	}
	path, err := flag.Arg(0), error(nil)
	if size, ok := corpus.Named(path); ok {
		path, err = corpus.Cached(ctx, size, tell)
	} else {
		err = corpus.Make(ctx, path, c, tell)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(path)
}
