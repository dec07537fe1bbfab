package fts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// worn makes an index with frequent words on many small pages, in several
// segments that differ about some rows.
func fragmentedIndex(t *testing.T, r *rand.Rand) (x *Index, ask func(fts string) []int64) {
	t.Helper()
	db := openDB(t, "")
	exec(t, db, `CREATE TABLE m (id INTEGER PRIMARY KEY, a, b)`)
	exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, b, content='m', content_rowid='id')`)
	exec(t, db, triggers)
	exec(t, db, `INSERT INTO f(f, rank) VALUES ('pgsz', 64)`)
	exec(t, db, `INSERT INTO f(f, rank) VALUES ('automerge', 0)`)
	text := func() string {
		var b strings.Builder
		n := 1 + r.IntN(12)
		if r.IntN(20) == 0 {
			n = 150 // its positions take pages
		}
		for range n {
			b.WriteString([]string{"the ", "the ", "of ", "a ", "then ", "them ", "an ", fmt.Sprintf("w%d ", r.IntN(400))}[r.IntN(8)])
		}
		return b.String()
	}
	rows := func(from, to int) {
		exec(t, db, `BEGIN`)
		for id := from; id < to; id++ {
			if r.IntN(8) > 0 {
				exec(t, db, `INSERT OR REPLACE INTO m(id, a, b) VALUES (?, ?, ?)`, id, text(), text())
			}
		}
		exec(t, db, `COMMIT`)
	}
	rows(1, 900)
	rows(900, 1500)
	exec(t, db, `BEGIN`)
	exec(t, db, `DELETE FROM m WHERE id % 13 = 3`)
	for id := range 1500 {
		if r.IntN(9) == 0 {
			exec(t, db, `UPDATE m SET b = ? WHERE id = ?`, text(), id)
		}
	}
	exec(t, db, `COMMIT`)
	rows(1500, 1600)
	x = openIndex(t, db, "f")
	if len(x.segments) < 4 {
		t.Fatalf("%d segments", len(x.segments))
	}
	return x, func(fts string) []int64 {
		return column[int64](t, db, `SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid`, fts)
	}
}

// Rows are looked for one by one in a word that many have, beyond what is read
// of it otherwise, and what newer segments say counts there too.
func TestFewRowsOfAFrequentWord(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	x, match := fragmentedIndex(t, r)
	find := func(e Expr) []int64 {
		got, err := x.Search(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return got.Rowids()
	}
	words := []string{"the", "of", "a", "then"}
	found := 0
	for n := range 400 {
		rare, frequent := fmt.Sprintf("w%d", n), words[r.IntN(len(words))]
		a, _ := x.Phrase(rare, false)
		b, _ := x.Phrase(frequent, false)
		for fts, e := range map[string]Expr{rare + " AND " + frequent: And(a, b), rare + " NOT " + frequent: Not(a, b), frequent + " AND " + rare: And(b, a)} {
			got, want := find(e), match(fts)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: got %v, FTS5 has %v", fts, got, want)
			}
			found += len(want)
		}
		for _, text := range []string{frequent + " " + rare, rare + " " + frequent + " " + frequent} {
			e, _ := x.Phrase(text, true)
			got, want := find(e), match(quoted(text)+" *")
			if !slices.Equal(got, want) {
				t.Fatalf("%s: got %v, FTS5 has %v", text, got, want)
			}
			found += len(want)
		}
	}
	if found < 5000 {
		t.Errorf("only %d rows were found", found)
	}
}

// Each row that a word stands in can be sought, and no other.
func TestSeekFindsTheRowsThatThereAre(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(6, 6)))
	for _, word := range []string{"the", "of", "w7"} {
		all := match(word)
		for row := range int64(1700) {
			got, err := x.rowsOfTerm(t.Context(), phraseTerm{term: word}, newSet(row))
			if err != nil {
				t.Fatal(err)
			}
			if _, want := slices.BinarySearch(all, row); got.Has(row) != want {
				t.Fatalf("%s in %d: %v", word, row, got.Has(row))
			}
		}
		for row := range int64(1690) {
			some := newSet(row, row+1, row+10)
			got, err := x.rowsOfTerm(t.Context(), phraseTerm{term: word}, some)
			if err != nil {
				t.Fatal(err)
			}
			got.Intersect(some)
			want := slices.DeleteFunc(some.Rowids(), func(r int64) bool { return !slices.Contains(all, r) })
			if !slices.Equal(got.Rowids(), want) {
				t.Fatalf("%s in %v: %v", word, some.Rowids(), got.Rowids())
			}
		}
	}
}

func newSet(rows ...int64) *Set {
	s := &Set{}
	for _, r := range rows {
		s.Add(r)
	}
	return s
}

// A phrase is found in as many rows at once as in all, also one whose words come again and one whose last word may go on.
func TestPhrasesInParts(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(5, 5)))
	found := 0
	for _, text := range []string{"the the", "of the of", "a the a the", "the th", "of a", "then the", "the the the the the", "a a th", "w1 t", "the w"} {
		for _, open := range []bool{false, true} {
			e, _ := x.Phrase(text, open)
			fts := quoted(text)
			if open {
				fts += " *"
			}
			want := match(fts)
			found += len(want)
			all := newSet()
			for row := range int64(1600) {
				all.Add(row)
			}
			for _, atOnce := range []int{40, 700, batchRows} {
				got, err := x.matchInBatches(t.Context(), e.phraseTerms(), all, atOnce)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Rowids(), want) {
					t.Errorf("%s, %d at once: %d rows, FTS5 has %d", fts, atOnce, got.Len(), len(want))
				}
			}
		}
	}
	if found < 1500 {
		t.Errorf("only %d rows were found", found)
	}
}

// Alternatives that others include are not asked for, and no other is left out.
func TestAlternativesWithinOthers(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(8, 8)))
	r := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		var fts []string
		var of []Expr
		for range 2 + r.IntN(4) {
			word := []string{"t", "th", "the", "then", "them", "o", "of", "w", "w1", "w12", "a", "an", "the the", "nothing"}[r.IntN(14)]
			open := r.IntN(2) == 0
			e, _ := x.Phrase(word, open)
			of = append(of, e)
			if word = quoted(word); open {
				word += " *"
			}
			fts = append(fts, word)
		}
		got, err := x.Search(t.Context(), Or(of...))
		if err != nil {
			t.Fatal(err)
		}
		if want := match(strings.Join(fts, " OR ")); !slices.Equal(got.Rowids(), want) {
			t.Fatalf("%s: %d rows, FTS5 has %d", strings.Join(fts, " OR "), got.Len(), len(want))
		}
	}
}

// Who types asks for the same words again, and for longer and longer beginnings
// of one. What is kept of the keys before gives the rows that there are.
func TestTypingLetterByLetterFindsTheSameRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 4))
	x, match := fragmentedIndex(t, r)
	found, kept := 0, 0
	for range 150 {
		words := []string{fmt.Sprintf("w%d", r.IntN(400)), []string{"the", "then", "of", "docker"}[r.IntN(4)], fmt.Sprintf("w%d", r.IntN(400))}
		text := strings.Join(words[:1+r.IntN(3)], " ")
		for n := 1; n <= len(text); n++ {
			var of []Expr
			var query []string
			for i, word := range strings.Fields(text[:n]) {
				last := i == len(strings.Fields(text[:n]))-1
				e, ok := x.Phrase(word, last)
				if !ok {
					t.Fatal(word)
				}
				if last {
					word = quoted(word) + " *"
				}
				of, query = append(of, e), append(query, word)
				if x.cache.rowids(termPattern{strings.Fields(text[:n])[i], last}, x.maxRowid) != nil {
					kept++
				}
			}
			got, err := x.Search(t.Context(), And(of...))
			if err != nil {
				t.Fatal(err)
			}
			want := match(strings.Join(query, " AND "))
			if !slices.Equal(got.Rowids(), want) {
				t.Fatalf("%q: %d rows, FTS5 has %d", text[:n], got.Len(), len(want))
			}
			got.Clip(0, 0) // the set is the caller's
			found += len(want)
			e, _ := x.Phrase(text[:n], true)
			for _, e := range []Expr{e, Or(And(e, one(x.Phrase("the", false))), Not(e, one(x.Phrase("of", false))), e)} {
				if got, err := x.Search(t.Context(), e); err != nil || !slices.Equal(got.Rowids(), match(quoted(text[:n])+" *")) {
					t.Fatalf("the phrase %q: %d rows (%v)", text[:n], got.Len(), err)
				}
			}
		}
	}
	if found < 5000 || kept < 100 {
		t.Errorf("%d rows were found, %d times kept", found, kept)
	}
}

func one(e Expr, _ bool) Expr { return e }
