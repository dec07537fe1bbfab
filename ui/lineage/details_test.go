package lineage

import (
	"slices"
	"testing"

	"hermes-sessions/theme/cells"
)

func TestFactsWrapBetweenEachOther(t *testing.T) {
	for text, want := range map[string][]string{
		"21 messages · 11 tool calls · 17k in, 506 out · $0.38": {"21 messages", "11 tool calls", "17k in, 506 out · $0.38"},
		"done · archived":                     {"done · archived"},
		"nousresearch/hermes-4-405b-and-more": {"nousresearch/hermes-4-40", "5b-and-more"},
		"":                                    {""},
	} {
		if got := wrapFacts(cells.ByCodePoint, text, 24); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
