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
