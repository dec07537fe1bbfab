package print

import (
	"testing"

	"hermes-sessions/model"
)

// A conversation is counted once: as hidden where the scope hides it and it is shown because no other
// has all words, and among the conversations where it stands above the heading of the closest.
func TestSummaryCountsAConversationOnce(t *testing.T) {
	hidden, near := model.Match{Close: true, OutOfScope: true}, model.Match{Close: true}
	inForms := model.Match{Close: true, AllWords: true, Together: true}
	for _, c := range []struct {
		matches []model.Match
		want    string
	}{
		{[]model.Match{hidden}, "0 conversations · 0 matches · 1 hidden (--scope all)"},
		{[]model.Match{hidden, near}, "0 conversations · 0 matches · 1 close · 1 hidden (--scope all)"},
		{[]model.Match{inForms, near}, "1 conversation · 0 matches · 1 close · 1 hidden (--scope all)"},
	} {
		if got := Summary(model.SearchResults{Matches: c.matches, Close: len(c.matches), HiddenConversations: 1}, false); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestCloseness(t *testing.T) {
	for _, c := range []struct {
		m    model.Match
		want string
	}{
		{model.Match{Words: 3, Missing: []string{"ci"}}, ""}, // not a close one
		{model.Match{Close: true, Words: 3, Missing: []string{"docker", "ci"}}, "1 of 3 words · not: docker, ci"},
		{model.Match{Close: true, Words: 3, Together: true}, "all words, in other forms"},
		{model.Match{Close: true, Words: 1}, ""},
		{model.Match{Close: true, Words: 1, OutOfScope: true, Conversation: model.Conversation{Scope: model.ScopeAutomation}}, "in automation"},
		{model.Match{Close: true, Words: 3, OutOfScope: true, Missing: []string{"ci"}, Conversation: model.Conversation{Scope: model.ScopeSubagents}}, "in subagents · 2 of 3 words · not: ci"},
	} {
		if got := closeness(c.m, true); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
