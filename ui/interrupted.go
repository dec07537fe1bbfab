package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Saved is a deletion of an earlier run that can be undone, or an undo that it has left
// unfinished.
type Saved struct {
	At      time.Time // of the deletion
	Text    string    // which change it was, and how far it had come
	What    string    // "1,000 messages of 'X'"
	Restore func(ctx context.Context, dropTitles bool, progress func(done, total int)) error
	Forget  func() error // discards the saved rows
}

// ignoreQuery drops the keys of a query that is typed while a question opens by itself, so
// that they do not answer it.
func ignoreQuery(r *Root) { r.pressed = press{at: r.opt.Clock().Add(shell.TypedWithin), ignored: true} }

// offerInterrupted asks about the interrupted undos, one after another.
func (r *Root) offerInterrupted(all []Saved) tea.Cmd {
	return r.offer(all, true, "Finish: restore what is missing", "Later: decide at the next start")
}

// undoSaved offers the deletions of earlier runs, the last first.
func (r *Root) undoSaved() tea.Cmd {
	return r.changes.jobs.add(&job{doing: "looking for earlier deletions", do: func(ctx context.Context, _ func(done, total int)) (func() tea.Cmd, error) {
		all, err := r.opt.Saved(ctx)
		if err == nil && len(all) == 0 {
			err = errNothingToUndo
		}
		return func() tea.Cmd { return r.offer(all, false, "Restore", "Show the one before") }, err
	}})
}

var errNothingToUndo = errors.New("nothing to undo")

// offer asks about the first of some deletions. each goes on with the next after any answer,
// else only the second answer, labeled next, does.
func (r *Root) offer(all []Saved, each bool, restore, next string) tea.Cmd {
	if len(all) == 0 {
		return nil
	}
	u, rest := all[0], func() tea.Cmd { return r.offer(all[1:], each, restore, next) }
	then := rest
	if !each {
		then = func() tea.Cmd { return nil }
	}
	text := kit.CleanLine(u.Text)
	what := kit.CleanLine(u.What)
	entries := []shell.Entry{{Letter: "f", Label: restore, Do: func() tea.Cmd { return tea.Batch(r.restoreSaved(u, false), then()) }}}
	if each || len(all) > 1 {
		entries = append(entries, shell.Entry{Letter: "l", Label: next, Do: rest})
	}
	if !each {
		entries = append(entries, shell.Entry{Letter: "n", Label: "Cancel", Do: then})
	}
	return r.Do(shell.OpenMenu{Title: strings.ToUpper(text[:1]) + text[1:], Entries: append(entries, shell.Entry{
		Letter: "d", Label: "Discard: delete the saved rows for good", Do: func() tea.Cmd {
			return r.Do(shell.OpenMenu{Title: "Discard the saved rows of " + what + "?", Entries: []shell.Entry{
				{Letter: "n", Label: "Cancel", Do: func() tea.Cmd { return r.offer(all, each, restore, next) }},
				{Letter: "y", Label: "Discard for good", Do: func() tea.Cmd {
					return tea.Batch(r.changes.jobs.add(&job{doing: "discarding " + what, do: func(context.Context, func(int, int)) (func() tea.Cmd, error) {
						return func() tea.Cmd { return r.Say("Discarded " + what) }, u.Forget()
					}}), then())
				}},
			}})
		},
	})})
}

// restoreSaved restores a deletion of an earlier run.
func (r *Root) restoreSaved(u Saved, dropTitles bool) tea.Cmd {
	what := kit.CleanLine(u.What)
	return r.changes.jobs.add(&job{doing: "restoring " + what, do: func(ctx context.Context, progress func(done, total int)) (func() tea.Cmd, error) {
		err := u.Restore(ctx, dropTitles, progress)
		if taken, ok := errors.AsType[model.TitleTaken](err); ok && !dropTitles {
			return func() tea.Cmd { //nolint:contextcheck // a job gets its context when it is launched
				return r.Do(takenMenu(taken, func() tea.Cmd { return r.restoreSaved(u, true) }))
			}, nil
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return r.Say("Restored " + what) }, nil
	}})
}
