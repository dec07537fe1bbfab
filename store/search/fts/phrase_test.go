package fts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The rows of a phrase do not depend on the size of a batch, also for phrases
// that repeat words and those that end in a prefix.
func TestPhrasesInBatchesFindTheRowsOfMATCH(t *testing.T) {
	t.Parallel()
	x, match := fragmentedIndex(t, rand.New(rand.NewPCG(5, 5)))
	found := 0
	for _, text := range []string{"the the", "of the of", "a the a the", "the th", "of a", "then the", "the the the the the", "a a th", "w1 t", "the w"} {
		for _, prefix := range []bool{false, true} {
			e, _ := x.Phrase(text, prefix)
			query := quoted(text)
			if prefix {
				query += " *"
			}
			want := match(query)
			found += len(want)
			all := newSet()
			for row := range int64(1600) {
				all.Add(row)
			}
			for _, batch := range []int{40, 700, batchRows} {
				got, err := x.matchInBatches(t.Context(), e.phraseTerms(), all, batch)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Rowids(), want) {
					t.Errorf("%s, batches of %d: %d rows, FTS5 has %d", query, batch, got.Len(), len(want))
				}
			}
		}
	}
	if found < 1500 {
		t.Errorf("only %d rows were found", found)
	}
}
