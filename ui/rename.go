package ui

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// setTitle gives a conversation another title.
func (c *changes) setTitle(q shell.SetTitle) tea.Cmd {
	conv, title := q.Conversation, q.Title
	if title == conv.Title {
		return c.sh.Refuse("title unchanged")
	}
	made := c.made
	return c.jobs.add(&job{doing: "renaming “" + q.Name + "”", do: func(ctx context.Context, _ func(int, int)) (func() tea.Cmd, error) {
		e, err := made.Rename(ctx, model.Renaming{ID: conv.ID, Was: conv.Title, Title: title})
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			c.tell(shell.ConversationsEdited{Roots: []string{conv.RootID}, Title: &title})
			s := c.editStep(e, "renamed “"+q.Name+"”", []string{conv.RootID})
			s.after = func() { c.tell(shell.ConversationsEdited{Roots: s.roots, Title: &conv.Title}) }
			c.undo.push(s)
			if title == "" {
				return c.did("“" + q.Name + "” no longer has a title")
			}
			return c.did("renamed to “" + title + "”")
		}, nil
	}})
}
