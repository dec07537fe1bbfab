package dialog

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// CopyEntries are what can be copied of any conversation.
func CopyEntries(sh shell.Shell, c model.Conversation) []shell.Entry {
	return []shell.Entry{
		shell.CopyEntry(sh, "i", "id", kit.CleanLine(c.ID), "it has none"),
		shell.CopyEntry(sh, "c", "resume command", sh.Env().Command(c.ID), "there is none"),
		shell.CopyEntry(sh, "t", "title", kit.CleanLine(c.Title), "it has none"),
		shell.CopyEntry(sh, "f", "folder", kit.CleanLine(c.CWD), "it is not known"),
	}
}
