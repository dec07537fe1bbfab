package dialog

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// CopyEntries are what can be copied of any conversation.
func CopyEntries(sh shell.Shell, c model.Conversation) []shell.Entry {
	title := shell.CopyEntry(sh, "t", "title", kit.CleanLine(c.Title), "untitled")
	title.Do = func() tea.Cmd { return sh.Do(shell.CopyText{Text: title.Note, What: title.Note}) }
	return []shell.Entry{
		shell.CopyEntry(sh, "i", "ID", kit.CleanLine(c.ID), "no ID"),
		shell.CopyEntry(sh, "c", "resume command", sh.Env().Command(c.ID), "no command"),
		title,
		shell.CopyEntry(sh, "f", "folder", kit.CleanLine(c.CWD), "no folder recorded"),
	}
}
