package list

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme/cells"
)

func TestACloseRowSaysWhatItLacks(t *testing.T) {
	for _, c := range []struct {
		w          int
		m          model.Match
		otherForms bool
		want       string
	}{
		{40, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, "7 of 9 words · not: docker, ci"},
		{29, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, "not: docker, ci"},
		{15, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, "not: docker, ci"},
		{29, model.Match{Words: 9, Missing: []string{"docker", "registry-mirror"}}, false, "not: docker, registry-mirror"},
		{20, model.Match{Words: 9, Missing: []string{"docker", "registry-mirror"}}, false, "7/9 · not: docker, …"},
		{12, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, "7 of 9 words"},
		{5, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, "7/9"},
		{2, model.Match{Words: 9, Missing: []string{"docker", "ci"}}, false, ""},
		{40, model.Match{Words: 3}, false, "all words, in different messages"},
		{40, model.Match{Words: 3}, true, "all words, in different messages"},
		{24, model.Match{Words: 3}, false, "in different messages"},
		{40, model.Match{Words: 3, Together: true}, true, "all words, in other forms"},
		{20, model.Match{Words: 3, Together: true}, true, "in other forms"},
		{40, model.Match{Words: 3, Together: true}, false, "all words"},
		{40, model.Match{Words: 1}, false, ""}, // the snippet shows where
		{40, model.Match{Words: 1}, true, ""},  // the line over the rows says which
		{40, model.Match{Words: 1, InParts: true}, false, "only parts of it"},
		{40, model.Match{Words: 2, InParts: true}, false, "one word only in parts"},
		{12, model.Match{Words: 2, InParts: true}, false, "in parts"},
		{40, model.Match{Words: 3, Close: true, AllWords: true}, true, ""}, // the heading says it
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeAutomation}, OutOfScope: true, Words: 3, Missing: []string{"ci"}}, false, "in automation · 2 of 3 words · not: ci"},
		{16, model.Match{Conversation: model.Conversation{Scope: model.ScopeAutomation}, OutOfScope: true, Words: 3, Missing: []string{"ci"}}, false, "in automation"},
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeSubagents}, OutOfScope: true, Close: true, Words: 3, Together: true}, true, "in subagents · all words"},
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeSubagents}, OutOfScope: true, Words: 1, Together: true}, false, "in subagents"},
	} {
		it := newItem(&c.m.Conversation)
		it.found = &c.m
		if got := closeNote(cells.ByCodePoint, &it, c.otherForms, c.w, "…"); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.w, got, c.want)
		}
	}
}

func TestOtherFormsAreSaidOnce(t *testing.T) {
	readings := []model.WordReading{
		{Word: "rewrites", Forms: []string{"rewrite", "rewritten"}},
		{Word: "rewriting", Forms: []string{"rewrite", "rewrites"}}, // rewrites was typed
		{Word: "revrse", Forms: []string{"reverse"}, Corrected: true},
	}
	want := `"revrse" is not in any conversation: showing "reverse" · also: rewrite, rewritten`
	if got := strings.Join(model.ReadingNotes(readings, nil, true), " · "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	spans := []model.SpanReading{{Words: "september", Span: "2026-09"}, {Words: "2026-10-31", Span: "2026-10-31"}} // the second says itself what it means
	if got := model.ReadingNotes(nil, spans, true); !slices.Equal(got, []string{"september: 2026-09"}) {
		t.Errorf("dates are read as %q", got)
	}
	if got := strings.Join(model.ReadingNotes(readings, nil, false), " · "); strings.Contains(got, "also") || !strings.Contains(got, "showing") {
		t.Errorf("where there is no room: %q", got)
	}
}

func TestHeadingsOfTheTiers(t *testing.T) {
	for _, c := range []struct {
		m    model.Match
		by   query.Order
		want string
	}{
		{model.Match{Close: true, AllWords: true, Together: true}, query.ByRelevance, ""},
		{model.Match{Close: true, AllWords: true, Together: true}, query.ByActivity, "All words, in other forms"},
		{model.Match{Close: true, AllWords: true}, query.ByRelevance, "All words, in different messages"},
		{model.Match{Close: true, Together: true}, query.ByRelevance, "Closest"},
		{model.Match{Close: true, Missing: []string{"ci"}}, query.ByActivity, "Closest"},
	} {
		it := newItem(&c.m.Conversation)
		it.found = &c.m
		if got := headingOf(&it, RowsQuery{List: query.ListOptions{Order: c.by}}, model.DateGroups{}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
}

// The note on those further away is below the last row alone, once all rows are there.
func TestWhatIsFurtherAwayIsBelowTheLastRow(t *testing.T) {
	r := &results{found: rowsAnswer{items: make([]Item, 3), total: 1, closest: closest{count: 2, further: 12}}}
	for i := range 3 {
		if got := r.furtherBelow(i); got != (i == 2) {
			t.Errorf("below row %d: %v", i, got)
		}
	}
	r.found.partial = true
	if r.furtherBelow(2) {
		t.Error("there are more rows")
	}
	if got := furtherNote(1200); got != "1,200 more, further away" {
		t.Error(got)
	}
}
