package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
)

// delete removes the confirmed conversations, or only a segment of one if q names
// it. The rows leave the list at once and the job runs behind them; rows that
// could not be deleted come back.
func (c *changes) delete(q shell.DeleteConversations) tea.Cmd {
	of := q.Of
	agreed := q.Plan
	segment := q.Segment
	s := c.list
	name := of.Title()
	var rows []list.RemovedRow
	if segment == "" {
		rows = s.Remove(of.Roots)
	} else {
		name = "a segment of " + name
	}
	what := of.Deletable(segment)
	made := c.made
	next := s.More()
	return tea.Batch(next, c.jobs.add(&job{doing: "deleting " + name, do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		what.Options.Expected, what.Options.Progress = &agreed, tell
		u, err := made.Delete(ctx, what.IDs, what.Options)
		return func() tea.Cmd {
			left := map[string]bool{} // the conversations whose rows come back; for a segment none was taken away
			if segment == "" {
				for _, id := range of.IDs {
					left[id] = true
				}
			}
			var gone model.Deletion
			if u != nil {
				gone = u.Deleted()
			}
			for _, ids := range [][]string{gone.Sessions, gone.NotFound} {
				for _, id := range ids {
					delete(left, id)
				}
			}
			s.Removed(of, left)
			moved := c.leave(gone.Sessions)
			if u == nil {
				return nil
			}
			if len(gone.Sessions) == 0 && gone.Messages == 0 {
				_ = u.Close() // nothing is kept in it
				return c.stayed(of, gone.Skipped, 0)
			}
			name := name // of what is gone
			if n := len(of.IDs) - len(left); len(left) > 0 {
				if name = "part of " + name; n > 0 {
					name = kit.Plural(n, "conversation", "conversations")
				}
			}
			c.undo.push(&step{
				what: "deleted " + name, roots: of.Roots, rows: rows,
				back: func(ctx context.Context, tell func(done, total int)) error {
					return made.Restore(ctx, u, model.RestoreOptions{Progress: tell})
				},
				withoutTitles: func(ctx context.Context, tell func(done, total int)) error {
					return made.Restore(ctx, u, model.RestoreOptions{Progress: tell, DropTitles: true})
				},
				drop: func() { _ = u.Close() }, // a temporary file that stays behind does no harm
				done: "restored " + name + " (" + kit.Plural(gone.Messages, "message", "messages") + ")",
			})
			if err != nil {
				return moved
			}
			if len(gone.Skipped) > 0 {
				return tea.Batch(moved, c.stayed(of, gone.Skipped, len(of.IDs)-len(gone.Skipped)-len(gone.NotFound)))
			}
			text := "deleted " + name
			if n := len(gone.FilesLeft); n > 0 {
				text += " (" + kit.Plural(n, "file", "files") + " could not be deleted: " + gone.FilesLeft[0] + ")"
			}
			return tea.Batch(moved, c.did(text))
		}, err
	}}))
}

// stayed says which conversations could not go, and why, and how many went. They keep their
// marks.
func (c *changes) stayed(of shell.Subjects, refused []model.SkippedConversation, went int) tea.Cmd {
	title := kit.Plural(went, "conversation", "conversations") + " deleted, " + kit.Count(len(refused)) + " kept (still selected)"
	notice := dialog.NewNotice(c.sh, title, func(w int) (lines []string) {
		for _, f := range refused {
			for _, l := range c.sh.Styles().Cells.Wrap(of.NameOf(f.ID)+": "+kit.CleanLine(f.Reason), w) {
				lines = append(lines, c.sh.Styles().Text.Render(l))
			}
		}
		if went == 0 { // there is nothing to undo but an older change
			return lines
		}
		undo := c.sh.Env().Keys.Find(shell.InTranscript, shell.Undo).KeyText()
		return append(lines, "", c.sh.Styles().Muted.Render(c.sh.Styles().Cells.Truncate(undo+" restore the deleted ones", w, "")))
	})
	if went > 0 {
		notice = notice.Undoing(c.undoLast)
	}
	return c.sh.Open(notice)
}
