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

	"hermes-sessions/internal/gc"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// bench is one file under measurement.
type bench struct {
	options
	path    string
	results *results
	keys    []key
}

// perPage is how many rows a key asks for.
const perPage = 50

// browserQuery returns what the browser asks after a key.
func browserQuery(text string) (query.Query, query.ListOptions) {
	return query.Parse(text, true), query.ListOptions{Limit: perPage, Order: query.ByRelevance}
}

// check holds the answer to every key against SQL.
func (b *bench) check(ctx context.Context) error {
	if b.results.done("checked") {
		return nil
	}
	checked := map[string]bool{}
	for _, r := range slices.Concat(b.results.of("checked"), b.results.of("differs")) {
		checked[r.Text] = true
	}
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
		r := result{Step: "checked", Text: k.Text, Digest: digest(shown), Hits: shown.Hits + shown.HiddenHits}
		if err := errors.Join(t.check(ctx, k, want, shown, false), t.check(ctx, k, want, all, true)); err != nil {
			r.Step, r.Note = "differs", err.Error()
		}
		if err := b.results.add(r); err != nil {
			return err
		}
	}
	return b.results.end("checked")
}

// timeClosest times the question for the closest conversations, which the browser
// asks when the first answer has come.
func (r *result) timeClosest(ctx context.Context, s *store.Store, q query.Query, list query.ListOptions) error {
	list.Closest = true
	start, cpu, thread := time.Now(), cpuTime(), threadTime()
	_, err := s.Search(ctx, q, list)
	r.Close, r.CloseCPU, r.CloseThread = millis(time.Since(start)), millis(cpuTime()-cpu), millis(threadTime()-thread)
	return err
}

// typing times every key in its order, as fingers make them. An answer that is
// not the one that was checked is not timed.
func (b *bench) typing(ctx context.Context) error {
	if b.results.done("typed") {
		return nil
	}
	right := map[string]string{}
	for _, r := range b.results.of("checked") {
		right[r.Text] = r.Digest
	}
	next := 0 // a word that was begun is typed again
	for _, r := range b.results.of("typed") {
		next = max(next, r.Word+1)
	}
	gc.Tune()
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
	gc.Release() // as the browser does then
	ready.Memory, ready.Peak = memory()
	if err := b.results.add(ready); err != nil {
		return err
	}
	// Gating on the time of the one thread that searches leaves out what else
	// the machine, and the collector, do meanwhile.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var word []result
	for i, k := range b.keys {
		if k.Word < next {
			continue
		}
		b.tell("typing key %d of %d", i+1, len(b.keys))
		q, list := browserQuery(k.Text)
		start, cpu, thread := time.Now(), cpuTime(), threadTime()
		got, err := s.Search(ctx, q, list)
		wall, alone, used := time.Since(start), threadTime()-thread, cpuTime()-cpu
		if err != nil {
			return err
		}
		r := result{Step: "timed", Text: k.Text, Kind: k.Kind, Length: k.Length, Word: k.Word, Wall: millis(wall), CPU: millis(used), Thread: millis(alone), Hits: got.Hits + got.HiddenHits}
		if got.Conversations <= query.ClosestUpTo {
			if err := r.timeClosest(ctx, s, q, list); err != nil {
				return err
			}
		}
		if right[k.Text] != digest(got) {
			r.Step, r.Note = "differs", "the answer is not the one that was checked"
		}
		word = append(word, r)
		if i+1 < len(b.keys) && b.keys[i+1].Word == k.Word {
			continue
		}
		if err := b.results.add(append(word, result{Step: "typed", Word: k.Word})...); err != nil {
			return err
		}
		word = word[:0]
	}
	after := result{Step: "after", Load: begun + " → " + load()}
	after.Memory, after.Peak = memory()
	if err := b.results.add(after); err != nil {
		return err
	}
	if err := b.cancel(ctx, s); err != nil {
		return err
	}
	return b.results.end("typed")
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
		if err := b.results.add(result{Step: "canceled", Text: k.Text, Wall: millis(end.Sub(given))}); err != nil {
			return err
		}
	}
	return nil
}
