package running

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Handlers lists the actions on the current session, each with the reason why it is not
// possible now.
func (s *Screen) Handlers() []shell.Handler {
	none := ""
	switch {
	case s.err != nil:
		none = "the sessions could not be read"
	case !s.ready:
		none = "still reading the sessions"
	case len(s.found) == 0:
		none = "no session is open"
	}
	var row model.Conversation // also when another is current in the end: a menu may be open meanwhile
	if r := s.current(); r != nil {
		row = r.Conversation
	}
	conversation := func() model.Conversation { return row }
	routes := slices.Concat(shell.ResumeHandlers(s.sh, none, func() string { return row.ID }),
		shell.OutsideHandlers(s.sh, none, none, conversation, func() shell.Subjects { return shell.Single(conversation()) }),
		shell.RowHandlers(&s.rows, none, nil))
	return append(routes, []shell.Handler{
		shell.NewHandler(shell.Read, none, func() tea.Cmd {
			return s.sh.Do(shell.OpenTranscript{Conversation: row, AtEnd: true})
		}),
		shell.NewHandler(shell.Lineage, none, func() tea.Cmd { return s.sh.Do(shell.OpenLineage{ID: row.ID}) }),
		shell.NewHandler(shell.Copy, none, func() tea.Cmd {
			id := kit.CleanLine(row.ID)
			return s.sh.Do(shell.CopyText{Text: id, What: id})
		}),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Back, "", func() tea.Cmd { return s.sh.Do(shell.CloseScreen{}) }),
	}...)
}

// mouse scrolls, chooses a row, and opens it with the second click.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		s.rows.Scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return s.clicks.OnRow(s.sh, s, shell.Read, &s.rows, msg.Y-s.top())
		}
	}
	return nil
}
