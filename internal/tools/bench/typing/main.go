// Command typing measures the search while a user types: words from titles and
// messages are typed letter by letter, and each key requests the first 50
// conversations with their snippets: the first rows that the browser shows, then the
// whole answer.
//
//	go run -C internal/tools ./bench/typing S|M|L|FILE
//
// S, M and L, and M31 in the layout of schema 31, are made first if they do not exist (bench/corpus). A
// FILE is opened as the browser opens it, and not changed. The steps are:
//
//	check     compare every answer with plain SQL (truth.go)
//	type      time the keys in a process of their own (typing.go)
//	race      run keys alternately with Hermes's own statements (race.go)
//	recorded  run recorded queries alternately with those statements
//	print     the table with the goals (print.go)
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"time"

	"hermes-sessions/internal/testing/corpus"
)

// options are what the command line says.
type options struct {
	words, compare int
	seed           uint64
	typeOnly       bool // print the results of the step type as JSON
	inProcess      bool // all steps in one process
	tell           func(format string, args ...any)
}

func main() {
	var o options
	flag.IntVar(&o.words, "words", 140, "how many words are typed; two thirds of one are a word more")
	flag.IntVar(&o.compare, "compare", 12, "how many keys of each length run in turns with upstream's statement, 0 for none; one takes seconds at L")
	flag.Uint64Var(&o.seed, "seed", 1, "which words")
	flag.BoolVar(&o.typeOnly, "type-only", false, "only time the keys, and print the results as JSON: this program starts itself with it")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [-words N] [-compare N] [-seed N] S|M|L|M31|FILE")
		os.Exit(2)
	}
	began := time.Now()
	var last time.Time
	o.tell = func(format string, args ...any) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(os.Stderr, "%5.0f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Arg(0), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run does the steps and prints what came out.
func run(ctx context.Context, o options, name string, out io.Writer) error {
	b, err := measure(ctx, o, name)
	if err != nil {
		return err
	}
	if o.typeOnly {
		return json.NewEncoder(out).Encode(b.results)
	}
	return b.results.print(out, name)
}

// measure does the steps.
func measure(ctx context.Context, o options, name string) (*bench, error) {
	path := name
	if c, ok := corpus.Named(name); ok {
		var err error
		if path, err = corpus.Cached(ctx, c, func(progress string) { o.tell("making %s: %s", name, progress) }); err != nil {
			return nil, err
		}
	}
	b := &bench{options: o, path: path}
	db, err := b.upstream()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if b.keys, err = keys(ctx, db, o.words, o.seed); err != nil {
		return nil, err
	}
	if o.typeOnly {
		db.Close() // its pages are not those of the browser
		return b, b.typing(ctx)
	}
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"check", b.check},
		{"type", b.typeAndCompare},
		{"race", b.race},
		{"recorded", b.recorded},
	} {
		if err := s.do(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return b, nil
}

// typeAndCompare runs the step type. A key whose answer is not the one that was checked
// becomes one that differs.
func (b *bench) typeAndCompare(ctx context.Context) error {
	typing := bench{options: b.options, path: b.path, keys: b.keys}
	run := typing.typeInSubprocess
	if b.inProcess {
		run = typing.typing
	}
	if err := run(ctx); err != nil {
		return err
	}
	right := map[string]string{}
	for _, r := range b.results.of("checked") {
		right[r.Text] = r.Digest
	}
	for _, r := range typing.results {
		if r.Step == "timed" && right[r.Text] != r.Digest {
			r.Step, r.Note = "differs", "the answer is not the one that was checked"
		}
		b.results = append(b.results, r)
	}
	return nil
}

// typeInSubprocess runs the step type in a process of its own, so that its memory is
// that of the browser.
func (b *bench) typeInSubprocess(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	c := exec.CommandContext(ctx, program, "-type-only", "-words", strconv.Itoa(b.words), "-seed", strconv.FormatUint(b.seed, 10), b.path)
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Run(); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("the process that types: %w", err))
	}
	return json.Unmarshal(out.Bytes(), &b.results)
}

// quantile returns the value below which a part (0 to 1) of all values is.
func quantile(all []float64, part float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[min(len(all)-1, int(part*float64(len(all))))]
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
