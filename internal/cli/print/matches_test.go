package print

import (
	"testing"

	"hermes-sessions/model"
)

// A conversation that the scope hides, and that is shown because no other has all words, is counted
// once, as hidden.
func TestSummaryCountsAHiddenConversationOnce(t *testing.T) {
	hidden, near := model.Match{Close: true, OutOfScope: true}, model.Match{Close: true}
	for _, c := range []struct {
		matches []model.Match
		want    string
	}{
		{[]model.Match{hidden}, "0 conversations · 0 matches · 1 hidden (--scope all)"},
		{[]model.Match{hidden, near}, "0 conversations · 0 matches · 1 close · 1 hidden (--scope all)"},
	} {
		if got := Summary(model.SearchResults{Matches: c.matches, Close: len(c.matches), HiddenConversations: 1}, false); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
