package kit_test

import (
	"testing"

	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// The column of models has what tells them apart, without vendors and dates.
func TestModelName(t *testing.T) {
	for name, want := range map[string]string{
		"nousresearch/hermes-4-405b": "hermes-4-405b",
		"claude-opus-4-5-20251101":   "claude-opus-4-5",
		"vendor/model-20260131":      "model",
		"gpt-4-1106-preview":         "gpt-4-1106-preview",
		"-20251101":                  "-20251101",
		"":                           "",
	} {
		if got := kit.ModelName(name); got != want {
			t.Errorf("ModelName(%q) is %q, want %q", name, got, want)
		}
	}
}

// A sentence loses whole clauses, and what is in parentheses only as a whole.
func TestClauses(t *testing.T) {
	for _, c := range []struct {
		sentence string
		w        int
		want     string
	}{
		{"Review clutter (empty, ghosts) and old ones", 42, "Review clutter"},
		{"Find here (alt+r: regular expression)", 30, "Find here"},
		{"Delete it; asks first (key: at the end)", 38, "Delete it"},
		{"Copy (as text) the ID, the title", 31, "Copy (as text) the ID"},
		{"Copy the ID, the title", 11, "Copy the ID"},
		{"Copy the ID, the title", 10, ""},
	} {
		if got := kit.Clauses(cells.ByCodePoint, c.sentence, c.w); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.sentence, c.w, got, c.want)
		}
	}
}
