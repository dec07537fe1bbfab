package dialog

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// CopyEntries are what can be copied of any conversation.
func CopyEntries(sh shell.Shell, c model.Conversation) []shell.Entry {
	return []shell.Entry{
		shell.CopyEntry(sh, "i", "id", kit.CleanLine(c.ID), "no id"),
		shell.CopyEntry(sh, "c", "resume command", sh.Env().Command(c.ID), "no command"),
		shell.CopyEntry(sh, "t", "title", kit.CleanLine(c.Title), "untitled"),
		shell.CopyEntry(sh, "f", "folder", kit.CleanLine(c.CWD), "no folder recorded"),
	}
}
