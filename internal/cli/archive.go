package cli

import (
	"github.com/spf13/cobra"

	"hermes-sessions/store"
)

func archiveCommand(a *app) *cobra.Command {
	return markCommand(a, "archive", "Put conversations out of the way", "archived", (*store.Store).SetArchived, true)
}

func unarchiveCommand(a *app) *cobra.Command {
	return markCommand(a, "unarchive", "Bring conversations back from the archive", "unarchived", (*store.Store).SetArchived, false)
}
