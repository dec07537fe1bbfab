package fts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
)

// A few rows are looked up in the large doclist of a frequent word, where newer
// segments count too.
func TestFewRowsOfAFrequentWordAreThoseOfMATCH(t *testing.T) {
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
	for n := 0; n < 400; n += campaign.Length(8, 1) {
		rare, frequent := fmt.Sprintf("w%d", n), words[r.IntN(len(words))]
		a, _ := x.Phrase(rare, false)
		b, _ := x.Phrase(frequent, false)
		for query, e := range map[string]Expr{rare + " AND " + frequent: And(a, b), rare + " NOT " + frequent: Not(a, b), frequent + " AND " + rare: And(b, a)} {
			got, want := find(e), match(query)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: got %v, FTS5 has %v", query, got, want)
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
	if found < campaign.Length(600, 5000) {
		t.Errorf("only %d rows were found", found)
	}
}

// Seeking finds every row of a word and no other.
func TestSeekFindsEveryRowOfATerm(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(6, 6)))
	step := int64(campaign.Length(7, 1))
	for _, word := range []string{"the", "of", "w7"} {
		all := match(word)
		for row := int64(0); row < 1700; row += step {
			got, err := x.rowsOfTerm(t.Context(), phraseTerm{term: word}, newSet(row))
			if err != nil {
				t.Fatal(err)
			}
			if _, want := slices.BinarySearch(all, row); got.Has(row) != want {
				t.Fatalf("%s in %d: %v", word, row, got.Has(row))
			}
		}
		for row := int64(0); row < 1690; row += step {
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

// A rare word is on a page of each segment: its rows are counted, not estimated by its pages.
func TestRowsOfRareWordsAreCounted(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(5, 5)))
	estimate := func(word string, most int) int {
		e, _ := x.Phrase(word, false)
		return x.EstimateRows(t.Context(), e, most)
	}
	// thee would be where the pages of "the" are.
	for _, word := range []string{"w7", "w70", "w301", "nowhere", "thee"} {
		if got, want := estimate(word, 10), len(match(word)); got != want {
			t.Errorf("%s: %d rows, FTS5 has %d", word, got, want)
		}
	}
	if got, most := estimate("the", 10), len(match("the")); got <= most {
		t.Errorf("the: %d rows were counted, the pages may hold more than %d", got, most)
	}
	if got := estimate("w7", 1_000_000); got < len(x.segments)*rowsPerPage {
		t.Errorf("w7: %d rows were counted where the pages show that they are few enough", got)
	}
}
