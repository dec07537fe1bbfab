package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/internal/testing/corpus"
)

func small(t *testing.T, schema int) (options, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	if err := corpus.Make(t.Context(), path, corpus.Config{Messages: campaign.Length(300, 600), Seed: 3, Schema: schema}); err != nil {
		t.Fatal(err)
	}
	return options{words: 20, compare: 2, seed: 1, inProcess: true, tell: func(string, ...any) {}}, path
}

// Every answer is the one that SQL gives, every kind of figure comes out, and
// the measured file is left as it was.
func TestEveryFigureIsCheckedAndPrinted(t *testing.T) {
	t.Parallel()
	o, path := small(t, 0)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := measure(t.Context(), o, path)
	if err != nil {
		t.Fatal(err)
	}
	r := b.results
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
	for _, want := range []string{"3 letters ", "a second word ", "2 of CJK ", "recorded ", "first rows: ", "wall p95 ", "given up: ", "typing docker", "slower than upstream: ", "(goal "} {
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

// In a file whose indexes leave out results of tools and the ends of long ones, the answers are
// those of the whole texts.
func TestAnswersAreCheckedInTheLayoutOfToday(t *testing.T) {
	t.Parallel()
	o, path := small(t, 31)
	b := bench{options: o, path: path}
	db, err := b.upstream()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// A word at the end of a long result, and one behind a script without spaces, that no index holds.
	fixtures.Exec(t, path, `UPDATE messages SET content = replace(hex(zeroblob(5000)), '0', 'x ') || 'zeppelin 数据库kubelet' WHERE id = (SELECT max(id) FROM messages WHERE role = 'tool')`)
	if b.keys, err = keys(t.Context(), db, o.words, o.seed); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"zeppelin", "kubelet"} {
		b.keys = append(b.keys, key{Text: text, Kind: "word", Length: len(text)})
	}
	if err := errors.Join(b.check(t.Context()), b.typeAndCompare(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, d := range b.results.of("differs") {
		t.Errorf("%q: %s", d.Text, d.Note)
	}
	if n := len(b.results.of("timed")); n < 80 {
		t.Errorf("%d keys, want 80", n)
	}
}

// A wrong answer is told, not timed.
func TestAWrongAnswerIsReported(t *testing.T) {
	t.Parallel()
	o, path := small(t, 0)
	b := bench{options: o, path: path, keys: []key{{Text: "the", Kind: "word", Length: 3}}}
	b.results = results{{Step: "checked", Text: "the", Digest: "another"}}
	if err := b.typeAndCompare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := b.results; len(r.of("timed")) > 0 || len(r.of("differs")) != 1 {
		t.Errorf("%d timed, %d differ", len(r.of("timed")), len(r.of("differs")))
	}
}
