package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/flagtype"
	"hermes-sessions/internal/cli/history"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/sessionjson"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func pruneCommand(a *app) *cobra.Command {
	var o model.PruneOptions
	var days int
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete conversations that ended and have been inactive for a number of days",
		Long: `prune deletes whole conversations that have ended and have had no message for a
number of days. Open and pinned ones stay.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if days > 100_000 {
				return fault.Usage("--older-than takes a number of days from 0 to 100000, got %d", days)
			}
			o.OlderThan = time.Duration(days) * 24 * time.Hour
			ctx := cmd.Context()
			s, err := a.openForChange(ctx)
			if err != nil {
				return err
			}
			defer func() { err = cmp.Or(err, s.Close()) }()
			if dry {
				return a.printPrunable(ctx, s, o)
			}
			question := fmt.Sprintf("Delete all ended sessions older than %d days", days)
			if o.Source != "" {
				question += " from '" + output.Clean(o.Source) + "'"
			}
			if err := a.confirm(ctx, yes, question+"? [y/N] "); err != nil {
				return err
			}
			o.NoUndo = true // this process ends, so an undo could never be used
			meter := newMeter(a, "Deleting", messagesOf)
			o.Progress = meter.Messages
			undo, err := s.Prune(ctx, o)
			meter.Stop()
			if undo == nil {
				if errors.Is(err, context.Canceled) {
					printStopped(a, meter, "nothing was deleted", "prune again to continue")
				}
				return err
			}
			gone := undo.Deleted()
			err = cmp.Or(a.printCanceled(err), undo.Close())
			printFilesLeft(a.Stderr, gone)
			if a.json {
				return errors.Join(err, a.out.JSON(answer.Pruned{Pruned: output.List(gone.Sessions), Messages: gone.Messages, Files: gone.Files, Backup: output.OrNull(o.Backup)}))
			}
			fmt.Fprintf(a.out, "Pruned %d session(s).\n", len(gone.Sessions))
			return err
		},
	}
	f := cmd.Flags()
	flagtype.Count(cmd, &days, "older-than", 90, "`DAYS` without a message")
	f.StringVar(&o.Source, "source", "", "only conversations of this `SOURCE`")
	f.BoolVar(&dry, "dry-run", false, "only list what would be deleted")
	fullFlag(cmd, &a.full)
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.StringVar(&o.Backup, "backup", "", "save what is deleted to this new `FILE`, for import")
	return cmd
}

// printPrunable lists the conversations that a prune would delete.
func (a *app) printPrunable(ctx context.Context, s *store.Store, o model.PruneOptions) error {
	old, err := s.Prunable(ctx, o)
	if err != nil {
		return err
	}
	if a.json {
		sessions, err := sessionjson.Conversations(ctx, history.NewSingle(s), old, a.full)
		if err != nil {
			return err
		}
		return a.out.JSON(answer.Prunable{Sessions: sessions, Total: len(old)})
	}
	if len(old) == 0 {
		a.say("No sessions found.")
		return nil
	}
	if err := listing.Conversations(a.out, listOptions(a, false), old); err != nil {
		return err
	}
	segments := 0
	for _, c := range old {
		segments += len(c.Segments)
	}
	fmt.Fprintf(a.out, "\n%s, %s, would be deleted.\n", output.Count(len(old), "conversation", "conversations"), output.Count(segments, "session", "sessions"))
	return nil
}
