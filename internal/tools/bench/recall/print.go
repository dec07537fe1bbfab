package main

import (
	"fmt"
	"io"
	"slices"
)

// group is a row of the table.
type group struct {
	name    string
	results []result
}

// groups returns all results, then those of each kind and of each language, the most
// frequent language first, and last those of the faded questions, which are derived and
// in no other group.
func groups(measured []result) []group {
	var results, derived []result
	for _, r := range measured {
		if r.Kind == fadedKind {
			derived = append(derived, r)
		} else {
			results = append(results, r)
		}
	}
	all := []group{{"all", results}}
	with := func(name string, keep func(result) bool) {
		var some []result
		for _, r := range results {
			if keep(r) {
				some = append(some, r)
			}
		}
		if len(some) > 0 {
			all = append(all, group{name, some})
		}
	}
	for _, kind := range kinds {
		with(kind, func(r result) bool { return r.Kind == kind })
	}
	count := map[string]int{}
	var languages []string
	for _, r := range results {
		if count[r.Language]++; count[r.Language] == 1 {
			languages = append(languages, r.Language)
		}
	}
	slices.SortStableFunc(languages, func(a, b string) int { return count[b] - count[a] })
	for _, language := range languages {
		with(language, func(r result) bool { return r.Language == language })
	}
	if len(derived) > 0 {
		all = append(all, group{fadedKind, derived})
	}
	return all
}

// printTable writes a row for each group and, side by side, the figures of each
// program.
func printTable(w io.Writer, programs []program, results []result) {
	fmt.Fprintf(w, "%-10s %5s", "", "")
	for _, p := range programs {
		fmt.Fprintf(w, " | %-31s", p.name)
	}
	fmt.Fprintf(w, "\n%-10s %5s", "", "asked")
	for range programs {
		fmt.Fprintf(w, " | %5s %5s %5s %6s %6s", "@1", "@5", "@10", "MRR", "empty")
	}
	fmt.Fprintln(w)
	for _, g := range groups(results) {
		fmt.Fprintf(w, "%-10s %5d", g.name, len(g.results))
		for i := range programs {
			f := score(g.results, i)
			fmt.Fprintf(w, " | %5.1f %5.1f %5.1f %6.3f %6.1f", f.first, f.five, f.ten, f.mrr, f.empty)
		}
		fmt.Fprintln(w)
	}
}

// column is what the browser's search answers without a part, or in a larger history.
type column struct {
	name    string
	results []result
}

// printCut writes, for each column and each group of questions, how many close rows the browser
// shows in the median, how many are further away and how often the right answer is one of these,
// and how long an answer takes.
func printCut(w io.Writer, columns []column) {
	for _, c := range columns {
		fmt.Fprintf(w, "\n%-16s | %10s | %12s | %8s | %8s\n", c.name, "close rows", "further away", "lost, %", "p95, ms")
		for _, g := range groups(c.results) {
			f := score(g.results, 0)
			fmt.Fprintf(w, "%-10s %5d | %10d | %12d | %8.1f | %8.1f\n", g.name, len(g.results), f.close, f.further, f.lost, float64(f.p95.Microseconds())/1000)
		}
	}
}

// printColumns writes, for each group of questions and each column, how often the
// conversation is first and how often it is among the first five.
func printColumns(w io.Writer, columns []column) {
	fmt.Fprintf(w, "\n%-16s", "first / in five")
	for _, c := range columns {
		fmt.Fprintf(w, " | %-14s", c.name)
	}
	fmt.Fprintln(w)
	for i, g := range groups(columns[0].results) {
		fmt.Fprintf(w, "%-10s %5d", g.name, len(g.results))
		for _, c := range columns {
			f := score(groups(c.results)[i].results, 0)
			fmt.Fprintf(w, " | %5.1f / %6.1f", f.first, f.five)
		}
		fmt.Fprintln(w)
	}
}

// printMisses writes the questions whose conversation the browser does not have among
// the first five.
func printMisses(w io.Writer, results []result) {
	fmt.Fprintln(w, "\nnot among the first five:")
	for _, r := range results {
		if a := r.answers[0]; !a.amongFive() {
			fmt.Fprintf(w, "  %-9s %-3s %-9s %s  (%s)\n", r.Kind, r.Language, place(a), r.Query, r.Sessions[0])
		}
	}
}

// place says where a conversation stands in an answer.
func place(a answer) string {
	switch {
	case a.empty:
		return "empty"
	case a.rank == 0:
		return "not found"
	}
	return fmt.Sprintf("rank %d", a.rank)
}

// printWay writes how often the conversation is among the first five while the questions
// are typed, and those that found it on the way and lost it before their end.
func printWay(w io.Writer, found way) {
	fmt.Fprintf(w, "\namong the first five of %d questions of four words or more, after each quarter of the words:", found.whole)
	for _, n := range found.five {
		fmt.Fprintf(w, " %.1f", 100*float64(n)/float64(max(found.whole, 1)))
	}
	fmt.Fprintf(w, "\nfound on the way and lost at the end: %d of %d\n", len(found.lost), found.questions)
	for _, l := range found.lost {
		fmt.Fprintf(w, "  %s for %q, %s for %q\n", place(l.before), l.prefix, place(l.whole), l.Query)
	}
}
