package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	var list, forget, yes bool
	cmd := &cobra.Command{
		Use:   "undo [NUMBER]",
		Short: "Restore what was deleted",
		Long: `undo lists the deletions that can be undone, newest first. After asking, it restores the
newest, or the one whose number you give. Deleted rows are kept for 7 days, up to 1 GB; the
oldest are dropped first. undo-days and undo-mb in the settings change that. --forget
discards them now, for good. What an interrupted deletion or undo left behind is kept until
it is restored or forgotten. Rows that are already back stay as they are.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) > 1 {
				return fault.Usage("undo takes the number of one deletion")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			ctx, chosen := cmd.Context(), 0
			if len(words) == 1 {
				if chosen, err = strconv.Atoi(words[0]); err != nil || chosen < 1 {
					return fault.Usage("undo takes the number of a deletion, not %q", words[0])
				}
			}
			limits, err := a.undoLimits()
			if err != nil {
				return err
			}
			s, _, err := a.open(ctx, a.undoFolder()...)
			if err != nil {
				return err
			}
			defer func() { err = cmp.Or(err, s.Close()) }()
			found, err := s.SavedUndos(ctx)
			if err != nil {
				return err
			}
			if chosen > len(found) {
				return &fault.Fault{Kind: "not-found", Code: 1, Message: fmt.Sprintf("there is no deletion %d to undo", chosen), Remedy: "list them", Command: "hermes-sessions undo --list"}
			}
			done := answer.Undone{Saved: savedObjects(found, limits)}
			switch {
			case a.json && !yes: // cannot ask
			case len(found) == 0:
				a.say("Nothing to undo.")
			case list:
				a.printSaved(a.out, found, limits)
			default:
				if !yes {
					a.printSaved(a.Stderr, found, limits) // before the question
				}
				var which []model.SavedUndo
				if which, err = a.chooseSaved(found, chosen, forget); err == nil {
					err = a.undoSaved(ctx, s, which, forget, yes, &done)
				}
			}
			if a.json && (err == nil || done.Undone > 0) {
				err = cmp.Or(a.out.JSON(done), err)
			}
			return cmp.Or(err, fault.NothingFound(len(found)))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&list, "list", false, "only list what can be undone")
	f.BoolVar(&forget, "forget", false, "discard the deleted rows for good, all of them or those with the number")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// chooseSaved returns the deletions that a number means: with 0 the last one that can be undone,
// or all to forget.
func (a *app) chooseSaved(found []model.SavedUndo, number int, forget bool) ([]model.SavedUndo, error) {
	if number == 0 && forget {
		return found, nil
	}
	if number == 0 {
		number = max(slices.IndexFunc(found, func(u model.SavedUndo) bool { return u.Blocked == "" }), 0) + 1
	}
	u := found[number-1]
	if u.Blocked != "" && !forget {
		return nil, &model.Error{
			Kind: model.KindExists, Path: u.File, Message: fmt.Sprintf("%s cannot be restored: %s", deletedRows(u), output.Clean(u.Blocked)),
			Remedy: model.Remedy{Kind: model.RemedyImport, Text: "import what is not there", Object: u.File},
		}
	}
	return []model.SavedUndo{u}, nil
}

// undoSaved restores deletions after asking, or forgets them.
func (a *app) undoSaved(ctx context.Context, s *store.Store, which []model.SavedUndo, forget, yes bool, done *answer.Undone) error {
	verb, ended := "Restore", "Restored"
	if forget {
		verb, ended = "Discard for good", "Discarded"
	}
	what := deletedRows(which[0])
	if len(which) > 1 {
		what = "all of these"
	}
	if err := a.confirm(ctx, yes, verb+" "+what+"? [y/N] "); err != nil {
		return err
	}
	for _, u := range which {
		var err error
		if forget {
			err = s.DropUndo(u)
		} else {
			err = a.restoreSaved(ctx, s, u, yes)
		}
		if err != nil {
			return err
		}
		done.Undone++
		done.Messages += u.Messages
		if !a.json {
			fmt.Fprintf(a.out, "%s %s.\n", ended, deletedRows(u))
		}
	}
	return nil
}

// restoreSaved restores one deletion. Where others have its titles by now, it asks whether to
// restore it without them.
func (a *app) restoreSaved(ctx context.Context, s *store.Store, u model.SavedUndo, yes bool) error {
	meter := a.newMeter("Restoring", messagesOf)
	o := model.RestoreOptions{Progress: meter.Messages}
	err := s.FinishUndo(ctx, u, o)
	meter.Stop()
	taken, ok := errors.AsType[model.TitleTaken](err)
	if !ok || yes || !a.canAsk() {
		return err
	}
	question := fmt.Sprintf("The title '%s' is now that of %s. Restore without the titles that others have? [y/N] ", output.Clean(taken.Title), output.Clean(taken.Owner))
	if err := a.confirm(ctx, false, question); err != nil {
		return err
	}
	meter = a.newMeter("Restoring", messagesOf)
	o = model.RestoreOptions{Progress: meter.Messages, DropTitles: true}
	err = s.FinishUndo(ctx, u, o)
	meter.Stop()
	return err
}

// printSaved lists what can be undone.
func (a *app) printSaved(out io.Writer, found []model.SavedUndo, limits model.UndoLimits) {
	for i, u := range found {
		line := fmt.Sprintf("%3d  %s  %s, %s", i+1, u.At.In(a.Now().Location()).Format("2006-01-02 15:04"), deletedRows(u), model.ByteSize(u.Bytes))
		switch {
		case u.Blocked != "":
			line += "; cannot be restored: " + output.Clean(u.Blocked)
		case u.State != model.DeleteNotUndone:
			line += "; " + interruption(u)
		}
		fmt.Fprintln(out, line)
	}
	if limits.Days > 0 {
		a.say("Kept for %s, up to %s.", limits.Kept(), model.ByteSize(limits.Bytes))
	}
}

// savedObjects returns what can be undone for JSON.
func savedObjects(found []model.SavedUndo, limits model.UndoLimits) []answer.Saved {
	all := []answer.Saved{}
	for i, u := range found {
		o := answer.Saved{
			Number: i + 1, At: output.Seconds(u.At), State: "deleted", Titles: output.List(u.Titles), Sessions: u.Sessions, Messages: u.Messages,
			Back: u.Back, Bytes: u.Bytes, File: u.File, Blocked: output.OrNull(u.Blocked),
		}
		switch u.State {
		case model.DeleteInterrupted:
			o.State = "delete-interrupted"
		case model.UndoInterrupted:
			o.State = "undo-interrupted"
		case model.DeleteNotUndone:
			if limits.Days > 0 {
				o.Until = output.Seconds(u.At.AddDate(0, 0, limits.Days))
			}
		}
		all = append(all, o)
	}
	return all
}

// deletedRows names what an undo is about.
func deletedRows(u model.SavedUndo) string {
	text := output.Count(u.Messages, "message", "messages")
	if u.Sessions > 1 {
		text += " of " + output.Count(u.Sessions, "session", "sessions")
	}
	if len(u.Titles) == 0 {
		return text
	}
	var titles []string
	for _, title := range u.Titles {
		titles = append(titles, "'"+output.Clean(title)+"'")
	}
	names := strings.Join(titles, ", ")
	if u.Sessions > 1 {
		return text + " (" + names + ")"
	}
	return text + " of " + names
}

// interruption describes an interrupted deletion or undo in one line.
func interruption(u model.SavedUndo) string {
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
		a.printNote(fault.Fault{Kind: "interrupted-undo", Message: interruption(u), Remedy: "restore what is missing, or discard the saved rows with --forget", Command: "hermes-sessions undo"})
	}
}

// interruptedUndos returns the undos of earlier runs that the browser can finish.
func (a *app) interruptedUndos(ctx context.Context, s *live.Store) []ui.Saved {
	found, err := s.Current().InterruptedUndos(ctx)
	if err != nil {
		a.log.Warn("undo", "error", err)
	}
	return a.offered(s, found)
}

// savedUndos returns all deletions of earlier runs that the browser can undo.
func (a *app) savedUndos(ctx context.Context, s *live.Store) ([]ui.Saved, error) {
	found, err := s.Current().SavedUndos(ctx)
	found = slices.DeleteFunc(found, func(u model.SavedUndo) bool { return u.Blocked != "" })
	return a.offered(s, found), err
}

// offered tells the browser what it can undo.
func (a *app) offered(s *live.Store, found []model.SavedUndo) (all []ui.Saved) {
	for _, u := range found {
		of := ui.Saved{
			At: u.At, Text: interruption(u), What: deletedRows(u),
			Restore: func(ctx context.Context, dropTitles bool, progress func(done, total int)) error {
				return s.FinishUndo(ctx, u, model.RestoreOptions{Progress: progress, DropTitles: dropTitles})
			},
			Forget: func() error { return s.Current().DropUndo(u) },
		}
		if u.State == model.DeleteNotUndone && a.keepsUndo("") {
			of.Text = "deleted " + output.Ago(a.Now(), u.At) + ": " + deletedRows(u)
		}
		all = append(all, of)
	}
	return all
}
