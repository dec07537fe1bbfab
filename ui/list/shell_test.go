package list

import (
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// noon is when these tests are.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// open returns the screen over a library, in 200 columns and 49 lines.
func open(tb testing.TB, lib *uitest.Fake) *Screen {
	tb.Helper()
	l := New(uitest.NewShell(shell.Env{Context: tb.Context(), Library: lib, Changes: lib, Clock: noon, Where: "~/.hermes/state.db"}), nil, nil)
	l.Resize(200, 49)
	return l
}

// show puts the answer to a question on the screen.
func (s *Screen) show(q RowsQuery, a rowsAnswer) {
	in := s.results.take(q, a)
	s.relayout()
	s.results.settle(in)
}

// everything asks for all rows.
func everything() RowsQuery { return RowsQuery{List: query.ListOptions{Scope: model.ScopeAll}} }

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
		if got := modelName(name); got != want {
			t.Errorf("modelName(%q) is %q, want %q", name, got, want)
		}
	}
}
