package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/bench/corpus"
	"hermes-sessions/internal/campaign"
)

func small(t *testing.T) (options, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	if err := corpus.Make(t.Context(), path, corpus.Config{Messages: campaign.Length(300, 600), Seed: 3}); err != nil {
		t.Fatal(err)
	}
	return options{words: 20, compare: 2, seed: 1, inProcess: true, cache: t.TempDir(), tell: func(string, ...any) {}}, path
}

// Every answer is the one that SQL gives, every kind of figure comes out, and
// the measured file is left as it was.
func TestEveryFigureIsCheckedAndPrinted(t *testing.T) {
	t.Parallel()
	o, path := small(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), o, path, io.Discard); err != nil {
		t.Fatal(err)
	}
	r, err := openResults(o, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for _, d := range r.of("differs") {
		t.Errorf("%q: %s", d.Text, d.Note)
	}
	for step, least := range map[string]int{"checked": 60, "timed": 80, "ready": 1, "after": 1, "canceled": 1, "raced": 12, "recorded": 80} {
		if n := len(r.of(step)); n < least {
			t.Errorf("%d results of %s, want %d", n, step, least)
		}
	}
	var table strings.Builder
	if err := r.print(&table, "L"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 letters ", "a second word ", "2 of CJK ", "recorded ", "wall p95 ", "given up: ", "typing docker", "slower than upstream: ", "(goal "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A wrong answer is told, not timed.
func TestAWrongAnswerIsReported(t *testing.T) {
	t.Parallel()
	o, path := small(t)
	r, err := openResults(o, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	b := bench{options: o, path: path, results: r, keys: []key{{Text: "the", Kind: "word", Length: 3}}}
	if err := r.add(result{Step: "checked", Text: "the", Digest: "another"}); err != nil {
		t.Fatal(err)
	}
	if err := b.typing(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.of("timed")) > 0 || len(r.of("differs")) != 1 {
		t.Errorf("%d timed, %d differ", len(r.of("timed")), len(r.of("differs")))
	}
}

// Interrupted anywhere it goes on, and nothing is measured twice; a finished
// one is only printed.
func TestAnInterruptedRunGoesOn(t *testing.T) {
	campaign.Only(t) // it runs the bench several times
	t.Parallel()
	o, path := small(t)
	interrupted := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		o.tell = func(string, ...any) {
			if steps++; steps > campaign.Length(60, 40)+interrupted*campaign.Length(80, 15) {
				cancel()
			}
		}
		err := run(ctx, o, path, io.Discard)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		interrupted++
	}
	if interrupted < 3 {
		t.Errorf("only %d interruptions", interrupted)
	}
	r, err := openResults(o, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for _, step := range []string{"checked", "raced", "recorded"} {
		seen := map[string]bool{}
		for _, one := range r.of(step) {
			if seen[one.Text] {
				t.Errorf("%s was %s twice", one.Text, step)
			}
			seen[one.Text] = true
		}
	}
	words := map[int]int{}
	for _, one := range r.of("typed") {
		if words[one.Word]++; words[one.Word] > 1 {
			t.Errorf("word %d was typed twice", one.Word)
		}
	}
	lines := len(r.all)
	if err := run(t.Context(), o, path, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := r.reload(); err != nil || len(r.all) != lines {
		t.Errorf("%d lines, then %d: %v", lines, len(r.all), err)
	}
}
