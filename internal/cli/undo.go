package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/store/live"
	"hermes-sessions/ui"
)

func undoCommand(a *app) *cobra.Command {
	var drop bool
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Finish interrupted undos",
		Long: `undo restores deleted rows after the program was killed during a deletion or an undo,
or while a deletion could still be undone. Rows that are already back stay as they are.
Until then, the program keeps the deleted rows; --drop discards them for good.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			s, _, err := a.open(ctx, a.undoFolder()...)
			if err != nil {
				return err
			}
			defer func() { err = cmp.Or(err, s.Close()) }()
			found, err := s.InterruptedUndos(ctx)
			if err != nil {
				return err
			}
			done, verb := answer.Undone{}, "Restored"
			if drop {
				verb = "Discarded"
			}
			var failed error
			for _, u := range found {
				if drop {
					err = s.DropUndo(u)
				} else {
					err = s.FinishUndo(ctx, u, model.RestoreOptions{})
				}
				if err != nil { // which does not keep the others back
					if failed != nil {
						a.printNote(*fault.Of(err)) // the first one ends the command
					}
					failed = cmp.Or(failed, err)
					continue
				}
				done.Undone++
				done.Messages += u.Messages
				if !a.json {
					fmt.Fprintf(a.out, "%s %s.\n", verb, deletedRows(u))
				}
			}
			if a.json && (failed == nil || done.Undone > 0) {
				if err := a.out.JSON(done); err != nil {
					return err
				}
			}
			switch {
			case failed != nil:
				return failed
			case a.json:
				return fault.NothingFound(done.Undone)
			}
			if len(found) == 0 {
				a.say("Nothing to undo.")
				return fault.ErrNothing
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&drop, "drop", false, "discard the saved rows instead of restoring them")
	return cmd
}

// deletedRows names what an undo is about.
func deletedRows(u model.InterruptedUndo) string {
	text := output.Count(u.Messages, "message", "messages")
	if u.Title != "" {
		text += " of '" + output.Clean(u.Title) + "'"
	}
	return text
}

// interruption describes an interrupted deletion or undo in one line.
func interruption(u model.InterruptedUndo) string {
	switch u.State {
	case model.UndoInterrupted:
		return fmt.Sprintf("an interrupted undo: %s of %s restored", output.Grouped(u.Back), deletedRows(u))
	case model.DeleteInterrupted:
		u.Messages -= u.Back
		return "an interrupted deletion: " + deletedRows(u) + " deleted"
	}
	return "a deletion of " + deletedRows(u) + " can still be undone"
}

// printInterrupted prints on standard error that an undo can be finished.
func (a *app) printInterrupted(ctx context.Context, s *store.Store) {
	found, err := s.InterruptedUndos(ctx)
	if err != nil {
		a.log.Warn("undo", "error", err)
	}
	for _, u := range found {
		a.printNote(fault.Fault{Kind: "interrupted-undo", Message: interruption(u), Remedy: "restore what is missing, or discard the saved rows with --drop", Command: "hermes-sessions undo"})
	}
}

// interruptedUndos returns the undos of earlier runs that the browser can finish.
func (a *app) interruptedUndos(ctx context.Context, s *live.Store) (all []ui.Interrupted) {
	found, err := s.Current().InterruptedUndos(ctx)
	if err != nil {
		a.log.Warn("undo", "error", err)
	}
	for _, u := range found {
		all = append(all, ui.Interrupted{
			Text: interruption(u), What: deletedRows(u),
			Finish: func(ctx context.Context, progress func(done, total int)) error {
				return s.FinishUndo(ctx, u, model.RestoreOptions{Progress: progress})
			},
			Drop: func() error { return s.Current().DropUndo(u) },
		})
	}
	return all
}
