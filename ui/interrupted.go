package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Interrupted is an undo that an earlier run has left unfinished.
type Interrupted struct {
	Text   string // which change was interrupted, and how far it had come
	What   string // "1,000 messages of 'X'"
	Finish func(ctx context.Context, progress func(done, total int)) error
	Drop   func() error // discards the saved rows
}

// ignoreQuery drops the keys of a query that is typed while a question opens by itself, so
// that they do not answer it.
func ignoreQuery(r *Root) { r.pressed = press{at: r.opt.Clock().Add(shell.TypedWithin), ignored: true} }

// offerInterrupted asks about the interrupted undos, one after another.
func (r *Root) offerInterrupted(all []Interrupted) tea.Cmd {
	if len(all) == 0 {
		return nil
	}
	u, rest := all[0], all[1:]
	text := kit.CleanLine(u.Text)
	what := kit.CleanLine(u.What)
	return r.Do(shell.OpenMenu{Title: strings.ToUpper(text[:1]) + text[1:], Entries: []shell.Entry{
		{Letter: "f", Label: "Finish: restore what is missing", Do: func() tea.Cmd {
			return tea.Batch(r.changes.jobs.add(&job{doing: "restoring " + what, do: func(ctx context.Context, progress func(done, total int)) (func() tea.Cmd, error) {
				if err := u.Finish(ctx, progress); err != nil {
					return nil, err
				}
				return func() tea.Cmd { return r.Say("Restored " + what) }, nil
			}}), r.offerInterrupted(rest))
		}},
		{Letter: "l", Label: "Later: decide at the next start", Do: func() tea.Cmd { return r.offerInterrupted(rest) }},
		{Letter: "d", Label: "Discard: delete the saved rows for good", Do: func() tea.Cmd {
			return r.Do(shell.OpenMenu{Title: "Discard the saved rows of " + what + "?", Entries: []shell.Entry{
				{Letter: "n", Label: "Cancel", Do: func() tea.Cmd { return r.offerInterrupted(all) }},
				{Letter: "y", Label: "Discard for good", Do: func() tea.Cmd {
					return tea.Batch(r.changes.jobs.add(&job{doing: "discarding " + what, do: func(context.Context, func(int, int)) (func() tea.Cmd, error) {
						return func() tea.Cmd { return r.Say("Discarded " + what) }, u.Drop()
					}}), r.offerInterrupted(rest))
				}},
			}})
		}},
	}})
}
