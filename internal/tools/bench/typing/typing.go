package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// bench is one file under measurement.
type bench struct {
	options
	path    string
	results results
	keys    []key
}

// perPage is how many rows a key asks for.
const perPage = 50

// browserQuery returns what the browser asks after a key for its whole answer.
func browserQuery(text string) (query.Query, query.ListOptions) {
	return query.Parse(text, true), query.ListOptions{Limit: perPage, Order: query.ByRelevance}
}

// check holds the answer to every key against SQL.
func (b *bench) check(ctx context.Context) error {
	checked := map[string]bool{}
	db, err := b.upstream()
	if err != nil {
		return err
	}
	defer db.Close()
	t, err := newTruth(ctx, b, db)
	if err != nil {
		return err
	}
	defer t.names.Close()
	s, err := store.Open(ctx, b.path)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Prepare(ctx); err != nil { // before, some words beside scripts are not found in very many terms
		return err
	}
	for i, k := range b.keys {
		if checked[k.Text] {
			continue
		}
		checked[k.Text] = true
		b.tell("checking key %d of %d", i+1, len(b.keys))
		want, err := t.answer(ctx, k)
		if err != nil {
			return fmt.Errorf("%s by SQL: %w", k.Text, err)
		}
		q, list := browserQuery(k.Text)
		shown, err := s.Search(ctx, q, list)
		if err != nil {
			return err
		}
		list.Scope = model.ScopeAll
		all, err := s.Search(ctx, q, list)
		if err != nil {
			return err
		}
		r := result{Step: "checked", Text: k.Text, Digest: digest(shown)}
		if err := errors.Join(t.check(ctx, k, want, shown, false), t.check(ctx, k, want, all, true)); err != nil {
			r.Step, r.Note = "differs", err.Error()
		}
		b.results = append(b.results, r)
	}
	return nil
}

// timeClosest times the question for the closest conversations, which the browser
// asks when the first answer has come.
func (r *result) timeClosest(ctx context.Context, s *store.Store, q query.Query, list query.ListOptions) error {
	list.Closest = true
	start, thread := time.Now(), threadTime()
	_, err := s.Search(ctx, q, list)
	r.Close, r.CloseThread = millis(time.Since(start)), millis(threadTime()-thread)
	return err
}

// typing times every key in its order, as fingers make them: the question for the first rows, and
// the one for the whole answer where these are not all of it.
func (b *bench) typing(ctx context.Context) error {
	begun := load()
	start := time.Now()
	s, err := store.Open(ctx, b.path)
	if err != nil {
		return err
	}
	defer s.Close()
	ready := result{Step: "ready", Open: millis(time.Since(start))}
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	ready.Wall, ready.CPU = millis(time.Since(start)), millis(cpuTime())
	ready.Memory, ready.Peak = memory()
	b.results = append(b.results, ready)
	// Gating on the time of the one thread that searches leaves out what else
	// the machine, and the collector, do meanwhile.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i, k := range b.keys {
		b.tell("typing key %d of %d", i+1, len(b.keys))
		q, list := browserQuery(k.Text)
		r := result{Step: "timed", Text: k.Text, Kind: k.Kind, Length: k.Length}
		var got model.SearchResults
		for _, list.FirstPage = range []bool{true, false} {
			start, cpu, thread := time.Now(), cpuTime(), threadTime()
			got, err = s.Search(ctx, q, list)
			wall, alone, used := time.Since(start), threadTime()-thread, cpuTime()-cpu
			if err != nil {
				return err
			}
			if r.Wall, r.CPU, r.Thread = millis(wall), millis(used), millis(alone); list.FirstPage {
				r.First, r.FirstThread = r.Wall, r.Thread
			}
			if !got.RowsOnly {
				break
			}
		}
		r.Digest, list.FirstPage = digest(got), false
		if got.Conversations <= query.ClosestUpTo {
			if err := r.timeClosest(ctx, s, q, list); err != nil {
				return err
			}
		}
		b.results = append(b.results, r)
	}
	after := result{Step: "after", Load: begun + " → " + load()}
	after.Memory, after.Peak = memory()
	b.results = append(b.results, after)
	return b.cancel(ctx, s)
}

// cancelCount is how many queries are given up.
const cancelCount = 100

// cancel gives up the longest queries somewhere on their way and measures how
// long they go on.
func (b *bench) cancel(ctx context.Context, s *store.Store) error {
	timed := b.results.of("timed")
	slices.SortFunc(timed, func(x, y result) int { return cmp.Compare(y.Wall, x.Wall) })
	r := rand.New(rand.NewPCG(b.seed, 9))
	for n := range cancelCount {
		if len(timed) == 0 {
			break
		}
		k := timed[n%min(len(timed), cancelCount/2)]
		b.tell("giving up query %d of %d", n+1, cancelCount)
		ctx, cancel := context.WithCancel(ctx)
		q, list := browserQuery(k.Text)
		at := make(chan time.Time, 1)
		after := time.Duration(r.Float64() * 0.8 * k.Wall * float64(time.Millisecond))
		time.AfterFunc(after, func() {
			at <- time.Now()
			cancel()
		})
		_, err := s.Search(ctx, q, list)
		end := time.Now()
		given := <-at
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if end.Before(given) {
			continue // it was quicker than before
		}
		b.results = append(b.results, result{Step: "canceled", Text: k.Text, Wall: millis(end.Sub(given))})
	}
	return nil
}
