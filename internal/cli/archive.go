package cli

import (
	"context"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/store"
)

func archiveCommand(a *app) *cobra.Command {
	return markCommand(a, "archive", "Put conversations out of the way", "archived", setArchived(true))
}

func unarchiveCommand(a *app) *cobra.Command {
	return markCommand(a, "unarchive", "Bring conversations back from the archive", "unarchived", setArchived(false))
}

func setArchived(on bool) setMark {
	return func(ctx context.Context, s *store.Store, ids []string) (model.Edit, error) {
		return s.SetArchived(ctx, ids, on)
	}
}
