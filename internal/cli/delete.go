package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func deleteCommand(a *app) *cobra.Command {
	var o model.DeleteOptions
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete conversations with all their messages",
		Long: `delete deletes conversations: all their segments and the sessions of their
subagents. Branches stay. --segment deletes only the named sessions; a session that
continued one of them becomes a conversation of its own.

A conversation of more than about a hundred messages is deleted in several
transactions, newest messages first, so that a running Hermes never waits long. If
delete is interrupted, hermes-sessions undo restores the rows deleted so far; with
--backup they are in that file, and with --no-undo in one in the temporary folder.

Name a session by its ID or a unique prefix of it, or by its whole title, in any
case. Part of a title is not enough to delete.`,
		Args: sessionArgs("delete"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.changeSessions(ctx, words, func(s *store.Store, names []string) error {
				var ids []string
				for _, name := range names {
					id, err := findSessionToDelete(ctx, s, name)
					if err != nil {
						return err
					}
					if !slices.Contains(ids, id) {
						ids = append(ids, id)
					}
				}
				plan, err := s.PlanDelete(ctx, ids, o)
				if err != nil {
					return err
				}
				back, err := a.wayBack(o.Backup, o.NoUndo)
				if err != nil {
					return err
				}
				if !yes && a.canAsk() {
					for _, line := range append(consequences(plan), back) {
						fmt.Fprintln(a.Stderr, line)
					}
				}
				question, err := deleteQuestion(ctx, s, ids, plan)
				if err != nil {
					return err
				}
				if err := a.confirm(ctx, yes, question); err != nil {
					return err
				}
				o.Expected = &plan
				o.NoUndo = o.NoUndo || !a.keepsUndo(o.Backup) // this process ends
				meter := a.newMeter("Deleting", messagesOf)
				o.Progress = meter.Messages
				undo, err := s.Delete(ctx, ids, o)
				meter.Stop()
				if undo == nil {
					if errors.Is(err, context.Canceled) {
						a.printStopped(meter, "nothing was deleted", "delete again to continue")
					}
					return err
				}
				gone := undo.Deleted()
				if err := a.printDeleted(ids, gone, o.Backup, err == nil); err != nil {
					return errors.Join(err, undo.Close())
				}
				a.sayKept(gone, o.NoUndo || o.Backup != "")
				return cmp.Or(a.printCanceled(err), undo.Close())
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.SegmentOnly, "segment", false, "delete only the named sessions, not their whole conversations")
	backupFlags(cmd, &o.Backup, &o.NoUndo)
	return cmd
}

// backupFlags adds what becomes of deleted rows.
func backupFlags(cmd *cobra.Command, backup *string, noUndo *bool) {
	f := cmd.Flags()
	f.StringVar(backup, "backup", "", "save what is deleted to this new `FILE`, for import, instead of for undo")
	f.BoolVar(noUndo, "no-undo", false, "keep nothing for undo")
}

// keepsUndo reports whether what this command deletes is kept for undo.
func (a *app) keepsUndo(backup string) bool {
	limits, err := a.undoLimits() // openForChange has reported the error
	return err == nil && limits.Days > 0 && backup == ""
}

// wayBack says in the question whether, how and for how long a delete can be undone.
func (a *app) wayBack(backup string, noUndo bool) (string, error) {
	limits, err := a.undoLimits()
	switch {
	case err != nil:
		return "", err
	case backup != "" && noUndo:
		return "", fault.Usage("give either --backup or --no-undo")
	case backup != "":
		return "It is saved in " + output.Clean(backup) + ", which import restores.", nil
	case noUndo || limits.Days == 0:
		return "It cannot be undone; --backup FILE saves it.", nil
	default:
		return "It can be undone for " + limits.Kept() + ": hermes-sessions undo. --backup FILE saves it instead, --no-undo keeps nothing.", nil
	}
}

// sayKept says how to undo a delete, unless nothing was to be kept for that.
func (a *app) sayKept(gone model.Deletion, unwanted bool) {
	limits, err := a.undoLimits()
	switch {
	case unwanted || err != nil || len(gone.Sessions) == 0 && gone.Messages == 0:
	case gone.Kept:
		a.say("It can be undone for %s: hermes-sessions undo.", limits.Kept())
	default:
		a.say("It cannot be undone: the folder for that cannot be written.")
	}
}

// deleteQuestion asks whether to delete what a plan says, by its title.
func deleteQuestion(ctx context.Context, s *store.Store, ids []string, p model.Deletion) (string, error) {
	name := output.Count(len(ids), "session", "sessions")
	if len(ids) == 1 {
		c, err := s.Conversation(ctx, ids[0])
		if err != nil {
			return "", err
		}
		if name = "'" + output.Clean(ids[0]) + "'"; c.Title != "" {
			name = "'" + output.Clean(c.Title) + "' (" + output.Clean(ids[0]) + ")"
		}
	}
	what := output.Count(p.Messages, "message", "messages")
	if p.Requested > len(ids) {
		what += " in " + output.Count(p.Requested, "segment", "segments")
	}
	if p.Delegates > 0 {
		what += ", " + output.Count(p.Delegates, "subagent session", "subagent sessions")
	}
	return fmt.Sprintf("Delete %s: %s? [y/N] ", name, what), nil
}

// consequences returns lines above the question before a delete: transcript files,
// what stays, and which sessions may be running.
func consequences(p model.Deletion) (lines []string) {
	if p.Files > 0 {
		lines = append(lines, "Also deletes "+output.Count(p.Files, "transcript file", "transcript files")+".")
	}
	if len(p.Orphaned) > 0 {
		lines = append(lines, "These branches and continuations stay: "+output.Clean(strings.Join(p.Orphaned, ", ")))
	}
	if len(p.Running) > 0 {
		lines = append(lines, "May still be running: "+output.Clean(strings.Join(p.Running, ", ")))
	}
	return lines
}

// printDeleted prints what a delete has removed. complete is false where it was
// stopped on the way.
func (a *app) printDeleted(ids []string, gone model.Deletion, backup string, complete bool) error {
	printFilesLeft(a.Stderr, gone)
	if a.json {
		return a.out.JSON(answer.Deleted{
			Deleted: output.List(gone.Sessions), Messages: gone.Messages, Delegates: gone.Delegates, Stay: output.List(gone.Orphaned),
			Files: gone.Files, FilesLeft: output.List(gone.FilesLeft), Backup: output.OrNull(backup), Complete: complete,
		})
	}
	for _, id := range ids {
		if slices.Contains(gone.Sessions, id) {
			fmt.Fprintf(a.out, "Deleted session '%s'.\n", output.Clean(id))
		}
	}
	if more := len(gone.Sessions) - len(ids); complete && more > 0 {
		fmt.Fprintf(a.out, "Also deleted %s: %s in total.\n", output.Count(more, "other session", "other sessions"), output.Count(gone.Messages, "message", "messages"))
	}
	return nil
}

// printFilesLeft names the transcript files that a delete has left behind.
func printFilesLeft(stderr io.Writer, gone model.Deletion) {
	for _, left := range gone.FilesLeft {
		fmt.Fprintln(stderr, "hermes-sessions: could not delete "+output.Clean(left))
	}
}
