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
func (b *Screen) Handlers() []shell.Handler {
	none := ""
	switch {
	case b.err != nil:
		none = "the sessions could not be read"
	case !b.ready:
		none = "still reading the sessions"
	case len(b.found) == 0:
		none = "no session is open"
	}
	conversation := func() model.Conversation { return b.current().Conversation }
	routes := slices.Concat(shell.ResumeHandlers(b.sh, none, func() string { return b.current().ID }),
		shell.OutsideHandlers(b.sh, none, none, conversation, func() shell.Subjects { return shell.Single(conversation()) }),
		shell.RowHandlers(&b.rows, none, nil))
	return append(routes, []shell.Handler{
		shell.NewHandler(shell.Open, none, func() tea.Cmd {
			return b.sh.Do(shell.OpenTranscript{Conversation: conversation(), AtEnd: true})
		}),
		shell.NewHandler(shell.Lineage, none, func() tea.Cmd { return b.sh.Do(shell.OpenLineage{ID: b.current().ID}) }),
		shell.NewHandler(shell.Copy, none, func() tea.Cmd {
			id := kit.CleanLine(b.current().ID)
			return b.sh.Do(shell.CopyText{Text: id, What: id})
		}),
		shell.NewHandler(shell.Refresh, "", b.Refresh),
		shell.NewHandler(shell.Back, "", func() tea.Cmd { return b.sh.Do(shell.CloseScreen{}) }),
	}...)
}

// mouse scrolls, chooses a row, and opens it with the second click.
func (b *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		b.rows.Scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return b.clicks.OnRow(b.sh, b, &b.rows, msg.Y-b.top())
		}
	}
	return nil
}
