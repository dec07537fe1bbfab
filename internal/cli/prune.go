package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// pruning is what a prune is asked for.
type pruning struct {
	model.PruneOptions
	archive bool // instead of deleting
	noUndo  bool // by the flag
}

// verb and done name what it does.
func (p *pruning) verb() string {
	if p.archive {
		return "Archive"
	}
	return "Delete"
}

func (p *pruning) done() string {
	if p.archive {
		return "archived"
	}
	return "deleted"
}

func pruneCommand(a *app) *cobra.Command {
	var o pruning
	var days int
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete conversations that ended and have been inactive for days",
		Long: `prune deletes whole conversations that have ended and have been inactive for a number
of days. Open, pinned and archived ones stay, and those that another process works in;
it says how many. What Hermes closed at a start is as old as that. Without --older-than,
sources with fewer days in sessions.source_retention_days of config.yaml go after these.
hermes-sessions undo restores what was pruned, for 7 days.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			switch {
			case days > 100_000:
				return fault.Usage("--older-than takes a number of days from 0 to 100000, got %d", days)
			case o.archive && o.IncludeArchived:
				return fault.Usage("--archive cannot be combined with --include-archived")
			case o.archive && o.Backup != "":
				return fault.Usage("--archive deletes nothing, so there is nothing for --backup")
			}
			o.OlderThan = time.Duration(days) * 24 * time.Hour
			if !cmd.Flags().Changed("older-than") && !a.selection.Demo {
				at, err := a.locate()
				if err != nil {
					return err
				}
				o.BySource = hermes.PruneSettings(at).AfterBySource()
			}
			ctx := cmd.Context()
			s, err := a.openForChange(ctx)
			if err != nil {
				return err
			}
			defer func() { err = cmp.Or(err, s.Close()) }()
			if dry {
				err := a.printPrunable(ctx, s, o)
				if a.printDamage(s) {
					err = cmp.Or(err, fault.ErrNothing)
				}
				return err
			}
			back, err := a.wayBack(o.Backup, o.noUndo)
			if err != nil {
				return err
			}
			plan, err := s.PlanPrune(ctx, o.PruneOptions)
			if err != nil {
				return err
			}
			if n := len(plan.PerConversation); n > 0 && !yes {
				lines, err := a.prunePlan(ctx, s, o, plan)
				if err != nil {
					return err
				}
				if !o.archive {
					lines = append(lines, back)
				}
				if a.canAsk() {
					fmt.Fprintln(a.Stderr, strings.Join(lines, "\n"))
				}
				question := o.verb() + " " + output.Count(n, "conversation", "conversations") + " inactive for " + output.Clean(o.Age())
				if o.Source != "" {
					question += " from '" + output.Clean(o.Source) + "'"
				}
				if err := a.confirm(ctx, yes, question+"? [y/N] "); err != nil {
					return err
				}
			}
			o.Expected = &plan
			if o.archive {
				return a.archivePrunable(ctx, s, o)
			}
			return a.prune(ctx, s, o)
		},
	}
	f := cmd.Flags()
	countFlag(cmd, &days, "older-than", 90, "`DAYS` without activity")
	f.StringVar(&o.Source, "source", "", "only conversations of this `SOURCE`")
	f.BoolVar(&o.IncludeArchived, "include-archived", false, "archived ones too")
	f.BoolVar(&o.IncludePinned, "include-pinned", false, "pinned ones too")
	f.BoolVar(&o.archive, "archive", false, "archive them instead")
	f.BoolVarP(&dry, "dry-run", "n", false, "only list what would be deleted")
	fullFlag(cmd, &a.full)
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	backupFlags(cmd, &o.Backup, &o.noUndo)
	return cmd
}

// prune deletes, and prints what is gone and what stays.
func (a *app) prune(ctx context.Context, s *store.Store, o pruning) error {
	o.NoUndo = o.noUndo || !a.keepsUndo(o.Backup) // this process ends
	meter := a.newMeter("Deleting", messagesOf)
	o.Progress = meter.Messages
	undo, err := s.Prune(ctx, o.PruneOptions)
	meter.Stop()
	if undo == nil {
		if errors.Is(err, context.Canceled) {
			a.printStopped(meter, "nothing was deleted", "prune again to continue")
		}
		return err
	}
	gone := undo.Deleted()
	err = cmp.Or(a.printCanceled(err), undo.Close())
	printFilesLeft(a.Stderr, gone)
	if a.json {
		return errors.Join(err, a.out.JSON(answer.Pruned{
			Pruned: output.List(gone.Sessions), Archived: []string{}, Messages: gone.Messages, Files: gone.Files,
			Backup: output.OrNull(o.Backup), Left: answer.Left(gone.Left),
		}))
	}
	fmt.Fprintf(a.out, "Pruned %d session(s).\n", len(gone.Sessions))
	a.sayLeft(gone.Left)
	a.sayKept(gone, o.NoUndo || o.Backup != "")
	return err
}

// prunePlan says what a prune takes, from when to when, and what stays and why.
func (a *app) prunePlan(ctx context.Context, s *store.Store, o pruning, p model.Deletion) (lines []string, err error) {
	lines = []string{pruneCounts(p) + "."}
	ends := []struct{ which, id string }{{"Oldest", p.PerConversation[0].ID}, {"newest", p.PerConversation[len(p.PerConversation)-1].ID}}
	var named []string
	for _, e := range ends[:min(2, len(p.PerConversation))] {
		c, err := s.Conversation(ctx, e.id)
		if err != nil {
			return nil, err
		}
		named = append(named, fmt.Sprintf("%s: '%s' (%s)", e.which, print.Title(c), c.LastActive.In(a.Now().Location()).Format(time.DateOnly)))
	}
	lines = append(lines, strings.Join(named, ", ")+".")
	if p.Files > 0 && !o.archive {
		lines = append(lines, "Also deletes "+output.Count(p.Files, "transcript file", "transcript files")+".")
	}
	if n := len(p.Orphaned); n > 0 && !o.archive {
		lines = append(lines, output.Count(n, "session", "sessions")+" that began in these stay.")
	}
	if text := p.Left.String(); text != "" {
		lines = append(lines, "As old, but left: "+text+".")
	}
	return lines, nil
}

// pruneCounts counts what a prune takes.
func pruneCounts(p model.Deletion) string {
	return output.Count(len(p.PerConversation), "conversation", "conversations") + ", " + output.Count(len(p.Sessions), "session", "sessions") + ", " +
		output.Count(p.Messages, "message", "messages") + ", " + model.ByteSize(p.Bytes)
}

// archivePrunable archives what a prune would delete.
func (a *app) archivePrunable(ctx context.Context, s *store.Store, o pruning) error {
	edit, left, err := s.ArchivePrunable(ctx, o.PruneOptions)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.JSON(answer.Pruned{Pruned: []string{}, Archived: output.List(edit.Sessions()), Left: answer.Left(left)})
	}
	fmt.Fprintf(a.out, "Archived %d session(s).\n", len(edit.Sessions()))
	a.sayLeft(left)
	return nil
}

// sayLeft says what is as old as asked for and stays.
func (a *app) sayLeft(left model.Left) {
	if text := left.String(); text != "" {
		a.say("As old, but left: %s.", text)
	}
}

// printPrunable lists the conversations that a prune would take.
func (a *app) printPrunable(ctx context.Context, s *store.Store, o pruning) error {
	all, err := s.Prunable(ctx, o.PruneOptions)
	if err != nil {
		return err
	}
	plan, err := s.PlanPrune(ctx, o.PruneOptions)
	if err != nil {
		return err
	}
	old := all.Conversations
	if a.json {
		sessions, err := print.ConversationObjects(ctx, single{s}, old, a.full)
		if err != nil {
			return err
		}
		return a.out.JSON(answer.Prunable{Sessions: sessions, Total: len(old), Messages: plan.Messages, Bytes: plan.Bytes, Left: answer.Left(all.Left)})
	}
	if len(old) == 0 {
		a.say("No sessions found.")
		a.sayLeft(all.Left)
		return nil
	}
	if err := print.Conversations(a.out, a.listOptions(false), old); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s, would be %s.\n", pruneCounts(plan), o.done())
	a.sayLeft(all.Left)
	return nil
}
