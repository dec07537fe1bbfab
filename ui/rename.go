package ui

import (
	"context"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// setTitle gives a conversation another title.
func (r *Root) setTitle(q shell.SetTitle) tea.Cmd {
	conv, title := q.Conversation, q.Title
	if title == conv.Title {
		return r.Say("the title is as it was")
	}
	changes := r.opt.Changes
	return r.work.add(&job{doing: "renaming “" + q.Name + "”", do: func(ctx context.Context, _ func(int, int)) (func() tea.Cmd, error) {
		e, err := changes.Rename(ctx, conv.ID, conv.Title, title)
		return func() tea.Cmd {
			if err != nil {
				return nil
			}
			r.tell(shell.ConversationsEdited{Roots: []string{conv.RootID}, Title: &title})
			s := r.editStep(e, "the renaming of “"+q.Name+"”", []string{conv.RootID})
			s.after = func() { r.tell(shell.ConversationsEdited{Roots: s.roots, Title: &conv.Title}) }
			r.undo.push(s)
			if title == "" {
				return r.did("“" + q.Name + "” has no title now")
			}
			return r.did("renamed to “" + title + "”")
		}, err
	}})
}
