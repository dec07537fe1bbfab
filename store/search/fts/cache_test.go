package fts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
)

// While a query is typed, each key asks for the same words again, and for a
// longer prefix of the last. What is cached must not change the answers.
func TestTypingLetterByLetterFindsTheRowsOfMATCH(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 4))
	x, match := fragmentedIndex(t, r)
	found, cached := 0, 0
	for range campaign.Length(15, 150) {
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
					cached++
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
			got.Clip(0, 0) // the set is the caller's: the cache has another
			found += len(want)
			e, _ := x.Phrase(text[:n], true)
			for _, e := range []Expr{e, Or(And(e, must(x.Phrase("the", false))), Not(e, must(x.Phrase("of", false))), e)} {
				if got, err := x.Search(t.Context(), e); err != nil || !slices.Equal(got.Rowids(), match(quoted(text[:n])+" *")) {
					t.Fatalf("the phrase %q: %d rows (%v)", text[:n], got.Len(), err)
				}
			}
		}
	}
	if found < campaign.Length(500, 5000) || cached < campaign.Length(10, 100) {
		t.Errorf("%d rows were found, %d times from the cache", found, cached)
	}
}

// The words of a question stay cached while its last word is typed, letter by letter.
func TestTheWordsOfAQuestionStayCached(t *testing.T) {
	t.Parallel()
	var c cache
	words := []termPattern{{text: "where"}, {text: "did"}, {text: "we"}, {text: "put"}, {text: "the"}, {text: "new"}, {text: "docker"}, {text: "image"}}
	for _, w := range words {
		c.putRowids(w, &rowidReader{})
	}
	for _, typed := range []string{"r", "re", "reg", "regi", "regis"} {
		c.putRowids(termPattern{typed, true}, &rowidReader{})
		for _, w := range words {
			if c.rowids(w, 0) == nil {
				t.Fatalf("%q is read again when %q is typed", w.text, typed)
			}
		}
	}
}
