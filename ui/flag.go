package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// flagging is how a flag is set and cleared, and the texts for both.
type flagging struct {
	has     func(model.Conversation) bool
	set     func(shell.Changes, context.Context, []string, bool) (model.Edit, error)
	verbs   [2]string // doing: off, on
	done    [2]string // did: off, on
	already [2]string // is: off, on
	moves   bool      // the changed conversations leave the scope
}

// pinning keeps conversations at the top of the list.
func pinning() flagging {
	return flagging{
		has: func(c model.Conversation) bool { return c.Pinned },
		set: shell.Changes.SetPinned, verbs: [2]string{"unpinning ", "pinning "}, done: [2]string{"unpinned ", "pinned "},
		already: [2]string{"not pinned", "pinned"},
	}
}

// archiving moves conversations out of the main list.
func archiving() flagging {
	return flagging{
		has: func(c model.Conversation) bool { return c.Archived },
		set: shell.Changes.SetArchived, verbs: [2]string{"unarchiving ", "archiving "}, done: [2]string{"unarchived ", "archived "},
		already: [2]string{"not archived", "archived"}, moves: true,
	}
}

// toggle sets a flag on all conversations, or clears it where all have it.
func (c *changes) toggle(q shell.ToggleFlag) tea.Cmd {
	of := q.Of
	f := pinning()
	l := c.list
	if q.Flag == shell.FlagArchived {
		f = archiving()
	}
	on := false
	for _, conv := range of.Conversations {
		on = on || !f.has(conv)
	}
	k := 0
	if on {
		k = 1
	}
	if f.moves {
		l.Remove(of.Roots)
	} else {
		l.UnmarkRoots(of.Roots)
	}
	made := c.made
	next := l.More()
	return tea.Batch(next, c.jobs.add(&job{doing: f.verbs[k] + of.Title(), do: func(ctx context.Context, _ func(int, int)) (func() tea.Cmd, error) {
		e, err := f.set(made, ctx, of.IDs, on)
		return func() tea.Cmd {
			left := map[string]bool{}
			for _, id := range of.IDs {
				left[id] = err != nil
			}
			if err != nil || f.moves {
				l.Removed(of, left)
			}
			if err != nil {
				return nil
			}
			c.tell(f.edited(of.Roots, on))
			if len(e.Changes) == 0 {
				return c.sh.Refuse(of.Title() + " is already " + f.already[k])
			}
			s := c.editStep(e, f.done[k]+of.Title(), of.Roots)
			s.after = func() { c.tell(f.edited(of.Roots, !on)) }
			c.undo.push(s)
			return c.did(f.done[k] + of.Title())
		}, err
	}}))
}

// edited tells the screens about the change.
func (f flagging) edited(roots []string, on bool) shell.ConversationsEdited {
	if f.moves {
		return shell.ConversationsEdited{Roots: roots, Archived: &on}
	}
	return shell.ConversationsEdited{Roots: roots, Pinned: &on}
}
