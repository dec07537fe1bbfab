// Command typing measures the search while a user types: words from titles and
// messages are typed letter by letter, and each key requests the first 50
// conversations with their snippets.
//
//	go run ./internal/bench/typing S|M|L|FILE
//
// S, M and L are made first if they do not exist (internal/bench/corpus/make). A
// FILE is opened as the browser opens it, and not changed. The steps are:
//
//	check     compare every answer with plain SQL (truth.go)
//	type      time the keys in a process of their own (typing.go)
//	race      run keys alternately with Hermes's own statements (race.go)
//	recorded  run recorded queries alternately with those statements
//	print     the table with the goals (print.go)
//
// Results are appended to a file in the user's cache folder: after an interruption,
// the next run continues there, and a finished run is only printed again. Another
// build of the program or another database starts over.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hermes-sessions/internal/bench/corpus"
)

// options are what the command line says.
type options struct {
	words, compare int
	seed           uint64
	step           string
	inProcess      bool   // all steps in one process
	cache          string // folder for results
	tell           func(format string, args ...any)
}

func main() {
	var o options
	flag.IntVar(&o.words, "words", 140, "how many words are typed; two thirds of one are a word more")
	flag.IntVar(&o.compare, "compare", 12, "how many keys of each length run in turns with upstream's statement, 0 for none; one takes seconds at L")
	flag.Uint64Var(&o.seed, "seed", 1, "which words")
	flag.StringVar(&o.step, "step", "", "do only this: check, type, race, recorded or print")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [-words N] [-compare N] [-seed N] [-step S] S|M|L|FILE")
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
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	o.cache = filepath.Join(cache, "hermes-sessions", "bench")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Arg(0), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		if errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "the same command goes on from here")
		}
		os.Exit(1)
	}
}

// run does the steps that are not done yet and prints what came out.
func run(ctx context.Context, o options, name string, out io.Writer) (err error) {
	path := name
	if c, ok := corpus.Named(name); ok {
		var err error
		if path, err = corpus.Cached(ctx, c, func(progress string) { o.tell("making %s: %s", name, progress) }); err != nil {
			return err
		}
	}
	results, err := openResults(o, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, results.close()) }()
	b := bench{options: o, path: path, results: results}
	db, err := b.upstream()
	if err != nil {
		return err
	}
	defer db.Close()
	if b.keys, err = keys(ctx, db, o.words, o.seed); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"check", b.check},
		{"type", b.typeInSubprocess},
		{"race", b.race},
		{"recorded", b.recorded},
	} {
		if o.step != "" && o.step != s.name {
			continue
		}
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if o.step == "type" {
		return nil
	}
	return results.print(out, name)
}

// typeInSubprocess runs the step type in a process of its own, so that its memory is
// that of the browser.
func (b *bench) typeInSubprocess(ctx context.Context) error {
	if b.results.done("typed") {
		return nil
	}
	if b.step == "type" || b.inProcess { // this is the process of its own
		return b.typing(ctx)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := os.StartProcess(program, []string{
		program,
		"-step", "type", "-words", strconv.Itoa(b.words), "-compare", strconv.Itoa(b.compare), "-seed", strconv.FormatUint(b.seed, 10), b.path,
	}, &os.ProcAttr{Files: []*os.File{nil, os.Stderr, os.Stderr}})
	if err != nil {
		return err
	}
	state, err := p.Wait() // an interrupt reaches it by itself
	if err != nil {
		return err
	}
	if !state.Success() {
		return cmp.Or(ctx.Err(), fmt.Errorf("the process that types: %s", state))
	}
	return b.results.reload()
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
