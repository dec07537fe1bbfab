package list

import (
	"testing"
	"time"

	"hermes-sessions/internal/cells"
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

// A source that has no room is told by its first word, not by half of its second.
func TestSourceName(t *testing.T) {
	for name, want := range map[string]string{"cli": "cli", "telegram": "telegram", "api_server": "api", "_internal_run": "_internal_run", "homeassistant": "homeassistant"} {
		if got := sourceName(cells.ByCodePoint, name, 8); got != want {
			t.Errorf("sourceName(%q) is %q, want %q", name, got, want)
		}
	}
}
