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
// shows how many close rows the browser has, how many are further away and how often the right
// answer is one of these, and the time of an answer; a third what its search finds without each of
// the parts that -without names, and with -among in the conversations of the FILE among made
// ones (among.go).
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
	columns := []column{{"all of it", results}}
	for _, part := range o.without {
		found, err := measureBrowser(closest.Without(ctx, part), history, results)
		if err != nil {
			return err
		}
		columns = append(columns, column{"without " + string(part), found})
	}
	if o.among > 0 {
		found, err := measureAmong(ctx, history, o.among, results)
		if err != nil {
			return err
		}
		columns = append(columns, column{fmt.Sprintf("among %d", o.among), found})
	}
	printCut(out, columns)
	if len(columns) > 1 {
		printColumns(out, columns)
	}
	if o.misses {
		printMisses(out, columns[len(columns)-1].results)
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

// measureBrowser asks the browser's search of a history the questions of results.
func measureBrowser(ctx context.Context, history string, results []result) ([]result, error) {
	s, err := openHistory(ctx, history) // what it caches depends on what is left out
	if err != nil {
		return nil, err
	}
	defer s.Close()
	questions := make([]question, len(results))
	for i, r := range results {
		questions[i] = r.question
	}
	if err := resolve(ctx, s, questions); err != nil { // the demo's ids depend on the time
		return nil, err
	}
	return measure(ctx, []program{{"browser", browser(s)}}, questions)
}

// measureAmong is measureBrowser of a history among n made conversations.
func measureAmong(ctx context.Context, history string, n int, results []result) ([]result, error) {
	large, err := putAmong(ctx, history, n)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Dir(large))
	return measureBrowser(ctx, large, results)
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
