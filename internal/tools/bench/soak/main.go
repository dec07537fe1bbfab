// Command soak lets several processes use one database for as long as one likes, and
// prints what became of it:
//
//	go run -C internal/tools ./bench/soak -for 10m
//
// One process writes as Hermes does: a message at a time, with its patience and its
// checkpoints. Two browse: they list, search as one types, and read, with a rest
// between two keys. One makes old conversations, prunes them and takes some back. One
// checkpoints. The first part of the time, the writer and the checkpoints are alone, to
// see how large the write-ahead log is without the others.
//
// The exit code is 1 where an error occurred, a row was lost, a wait is longer than
// promised or the log grew too large.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	if runRole() {
		return
	}
	length := flag.Duration("for", 30*time.Second, "how long")
	dir := flag.String("dir", "", "folder of the database (default: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := soak(ctx, *dir, *length)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	fmt.Println(r)
	if wrong := r.wrong(0); len(wrong) > 0 {
		for _, w := range wrong {
			fmt.Fprintln(os.Stderr, "soak:", w)
		}
		os.Exit(1)
	}
}
