package unindexed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes-sessions/store/internal/idset"
)

// An index to which messages are added, and from which some are taken away, has the messages of
// each term, in few segments.
func TestIndexHasTheMessagesOfEachTerm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 31))
	var x index
	stored := map[int64][]string{}
	for round := range 60 {
		gone := &idset.Set{}
		for message := range stored {
			if r.IntN(20) == 0 {
				gone.Add(message)
			}
		}
		maps.DeleteFunc(stored, func(message int64, _ []string) bool { return gone.Has(message) })
		var b indexBuilder
		for i := range 1 + r.IntN(40) {
			message := int64(round*1_000 + i)
			b.begin(message)
			for range r.IntN(30) {
				term := fmt.Sprint(r.IntN(1 + r.IntN(200))) // the first ones are in most messages
				b.add([]byte(term))
				stored[message] = append(stored[message], term)
			}
		}
		x = append(x.without(gone), b.index()...).merged()
		for _, term := range []string{"0", "1", "12", "19", "199", "200", ""} {
			for _, prefix := range []bool{false, true} {
				want := &idset.Set{}
				for message, terms := range stored {
					if slices.ContainsFunc(terms, func(s string) bool { return s == term || prefix && strings.HasPrefix(s, term) }) {
						want.Add(message)
					}
				}
				if got := x.having(term, prefix); !slices.Equal(got.Rowids(), want.Rowids()) {
					t.Fatalf("round %d: %q, prefix %v: %v, want %v", round, term, prefix, got.Rowids(), want.Rowids())
				}
			}
		}
	}
	if len(x) > 10 {
		t.Errorf("%d segments after 60 rounds", len(x))
	}
}

// Segments are not merged where two would come of it again.
func TestMergingEnds(t *testing.T) {
	var x index
	for from := range int64(2) {
		var b indexBuilder
		for i := range int64(3_450) {
			b.begin(from*10_000 + i)
			for term := range 1_250 {
				b.add(strconv.AppendInt(nil, int64(term), 10))
			}
		}
		x = append(x, b.index()...).merged()
	}
	if n := x.having("77", false).Len(); n != 6_900 {
		t.Errorf("%d messages in %d segments", n, len(x))
	}
	x = nil
	for from := range int64(2) {
		var b indexBuilder
		for i := range int64(30) {
			b.begin(from*10_000 + i)
			for term := range 6_000 {
				b.add(strconv.AppendInt(nil, (from*30+i)*6_000+int64(term), 10))
			}
		}
		x = append(x, b.index()...).merged()
	}
	if n := x.having("77", false).Len(); n != 1 || len(x) != 2 {
		t.Errorf("%d messages in %d segments", n, len(x))
	}
}

// Segments are bounded, and what is too much is left out, the symbols first.
func TestSegmentsAndKindsAreBounded(t *testing.T) {
	var b indexBuilder
	for message := range int64(maxMessages + 1) {
		b.begin(message)
		b.add([]byte("in all"))
	}
	if x := b.index().merged(); len(x) != 2 || x.having("in all", false).Len() != maxMessages+1 {
		t.Errorf("%d segments, %d messages", len(x), x.having("in all", false).Len())
	}
	texts := &Texts{}
	for message := range int64(16) {
		var text strings.Builder
		for word := range 1_000 {
			fmt.Fprintf(&text, "%s%dw%d. ", strings.Repeat("m", 2_200), message, word)
		}
		texts.Add(message, true, text.String())
	}
	if texts.leftOut != runs || texts.Full() || texts.builders[symbols].bytes()+texts.builders[words].bytes() > 0 {
		t.Errorf("left out are the kinds before %d", texts.leftOut)
	}
}
