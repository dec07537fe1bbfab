package cli

import (
	"github.com/spf13/cobra"

	"hermes-sessions/store"
)

func archiveCommand(a *app) *cobra.Command {
	return markCommand(a, "archive", "Archive conversations, or unarchive them", "archived", (*store.Store).SetArchived, true)
}

func unarchiveCommand(a *app) *cobra.Command {
	return markCommand(a, "unarchive", "Unarchive conversations", "unarchived", (*store.Store).SetArchived, false)
}
