package ui

import "hermes-sessions/model"

// factEntries are what can be copied of any conversation.
func factEntries(sh Shell, c model.Conversation) []Entry {
	return []Entry{
		copyEntry(sh, "i", "id", CleanLine(c.ID), "it has none"),
		copyEntry(sh, "c", "resume command", sh.Env().Command(c.ID), "there is none"),
		copyEntry(sh, "t", "title", CleanLine(c.Title), "it has none"),
		copyEntry(sh, "f", "folder", CleanLine(c.CWD), "it is not known"),
	}
}
