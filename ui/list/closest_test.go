package list

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
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
		{40, model.Match{Words: 3, Together: true}, false, "3 of 3 words"},
		{40, model.Match{Words: 1}, false, "in another form"},
		{40, model.Match{Words: 1}, true, ""}, // the line over the rows says which
		{40, model.Match{Words: 1, Missing: []string{"数据库连接"}}, false, "only parts of it"},
		{40, model.Match{Words: 2, Missing: []string{"a", "b"}}, false, "only parts of the words"},
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeAutomation}, OutOfScope: true, Words: 3, Missing: []string{"ci"}}, false, "in automation · 2 of 3 words · not: ci"},
		{16, model.Match{Conversation: model.Conversation{Scope: model.ScopeAutomation}, OutOfScope: true, Words: 3, Missing: []string{"ci"}}, false, "in automation"},
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeSubagents}, OutOfScope: true, Words: 3, Together: true}, true, "in subagents · all words"},
		{50, model.Match{Conversation: model.Conversation{Scope: model.ScopeSubagents}, OutOfScope: true, Words: 1, Together: true}, false, "in subagents"},
	} {
		it := newItem(&c.m.Conversation)
		it.found = &c.m
		if got := closeNote(cells.ByCodePoint, &it, c.otherForms, c.w, "…"); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.w, got, c.want)
		}
	}
}

func TestTheHeadingOfTheClosestFitsEveryWidth(t *testing.T) {
	words, word := []string{"all of these words", "all words"}, []string{"this word", "it"}
	for _, c := range []struct {
		w            int
		none, hidden bool
		what         []string
		want         string
	}{
		{74, false, false, words, "closest matches · no other conversation has all of these words"},
		{54, false, false, words, "closest matches · no other has all of these words"},
		{40, false, false, words, "closest matches · no other has all words"},
		{24, false, false, words, "closest matches"},
		{74, true, false, words, "no conversation has all of these words · closest matches"},
		{54, true, false, words, "none has all of these words · closest matches"},
		{74, true, true, words, "no conversation here has all of these words · closest matches"},
		{74, true, false, word, "no conversation has this word · closest matches"},
		{74, false, false, word, "closest matches · no other conversation has this word"},
	} {
		if got := closestHeadingIn(cells.ByCodePoint, c.w, c.none, c.hidden, c.what); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.w, got, c.want)
		}
		for w := range 80 {
			if got := closestHeadingIn(cells.ByCodePoint, w, c.none, c.hidden, c.what); ansi.StringWidth(got) > max(w, len(closestHeading)) || !strings.Contains(got, closestHeading) {
				t.Errorf("in %d columns: %q", w, got)
			}
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
	if got := strings.Join(readingNotes(readings, true), " · "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := strings.Join(readingNotes(readings, false), " · "); strings.Contains(got, "also") || !strings.Contains(got, "showing") {
		t.Errorf("where there is no room: %q", got)
	}
}
