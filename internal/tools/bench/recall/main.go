// Command recall measures how well the search finds conversations by what their user
// remembers of them weeks later.
//
//	go run -C internal/tools ./bench/recall [-on-the-way] [-misses] [-among N] [-without forms,typos,rarity,titles,dates] FILE|demo QUERIES.jsonl
//
// A FILE is opened as the browser opens it, and not changed; demo is the invented
// history. Each line of QUERIES.jsonl is a query with the conversation that is meant
// (queries.go). Questions are also asked without their two rarest words (faded.go);
// these count only in a row of their own. Each query is asked of the browser's search, of
// the search_messages of Hermes and of a picker that only compares titles, previews and
// ids (programs.go). The table shows how often the conversation is first, among the first five and among the
// first ten, the mean reciprocal rank, and how often nothing is found. A second table
// shows how many close rows the browser has, which right answers are further away, and the time
// of an answer; a third what its search finds without each of the parts that -without names.
// With -among the conversations of the FILE are put among made ones (among.go).
//
// The queries of testdata/demo.jsonl were written before they were asked. They stay
// as they are: a query that is changed until it is found measures nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"hermes-sessions/store"
	"hermes-sessions/store/search/closest"
)

// options are what the command line says.
type options struct {
	onTheWay, misses bool
	among            int
	without          []closest.Part
}

func main() {
	var o options
	flag.BoolVar(&o.onTheWay, "on-the-way", false, "also ask each question up to the end of each of its words, and print how often the conversation is among the first five on the way, and the questions that lose it")
	flag.BoolVar(&o.misses, "misses", false, "also print the queries whose conversation is not among the first five, with its rank")
	flag.IntVar(&o.among, "among", 0, "put the conversations of the FILE among `N` others, made of its own sentences")
	flag.Func("without", "also measure the search without each of these `parts`: forms,typos,rarity,titles,dates", func(names string) error {
		for name := range strings.SplitSeq(names, ",") {
			if !slices.Contains(closest.Parts, closest.Part(name)) {
				return fmt.Errorf("%q is no part", name)
			}
			o.without = append(o.without, closest.Part(name))
		}
		return nil
	})
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: recall [-on-the-way] [-misses] [-among N] [-without PARTS] FILE|demo QUERIES.jsonl")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Arg(0), flag.Arg(1), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

// run measures the queries of one file on the history of another, and prints.
func run(ctx context.Context, o options, history, queries string, out io.Writer) error {
	if o.among > 0 {
		large, err := putAmong(ctx, history, o.among)
		if err != nil {
			return err
		}
		defer os.RemoveAll(filepath.Dir(large))
		history = large
	}
	s, err := openHistory(ctx, history)
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := readQueries(queries)
	if err != nil {
		return err
	}
	if err := resolve(ctx, s, all); err != nil {
		return err
	}
	withoutRarest, err := faded(ctx, s, all)
	if err != nil {
		return err
	}
	programs, err := newPrograms(ctx, s)
	if err != nil {
		return err
	}
	results, err := measure(ctx, programs, slices.Concat(all, withoutRarest))
	if err != nil {
		return err
	}
	printTable(out, programs, results)
	printCut(out, results)
	ablations, err := measureWithout(ctx, o.without, history, results)
	if err != nil {
		return err
	}
	if len(ablations) > 0 {
		printAblations(out, slices.Concat([]ablation{{"all of it", results}}, ablations))
	}
	if o.misses {
		printMisses(out, results)
	}
	if !o.onTheWay {
		return nil
	}
	way, err := onTheWay(ctx, programs[0], all)
	if err != nil {
		return err
	}
	printWay(out, way)
	return nil
}

// measureWithout asks the browser's search the questions of results without each of some
// parts.
func measureWithout(ctx context.Context, parts []closest.Part, history string, results []result) (all []ablation, err error) {
	questions := make([]question, len(results))
	for i, r := range results {
		questions[i] = r.question
	}
	for _, part := range parts {
		s, err := openHistory(ctx, history) // what it caches depends on the part
		if err != nil {
			return nil, err
		}
		defer s.Close()
		if err := resolve(ctx, s, questions); err != nil { // the demo's ids depend on the time
			return nil, err
		}
		found, err := measure(closest.Without(ctx, part), []program{{"browser", browser(s)}}, questions)
		if err != nil {
			return nil, err
		}
		all = append(all, ablation{"without " + string(part), found})
	}
	return all, nil
}

// openHistory opens a database as the browser does, ready to be searched.
func openHistory(ctx context.Context, name string) (*store.Store, error) {
	open := func() (*store.Store, error) { return store.Open(ctx, name) }
	if name == "demo" {
		open = func() (*store.Store, error) { return store.Demo(ctx) }
	}
	s, err := open()
	if err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
