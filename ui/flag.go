package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// flag is a mark of whole conversations that can be set and taken away.
type flag struct {
	has   func(model.Conversation) bool
	set   func(Changes, context.Context, []string, bool) (model.Edit, error)
	verbs [2]string // doing: off, on
	done  [2]string // did: off, on
	undo  [2]string // what taking it back says it took back
	moves bool      // what changes leaves the scope
}

// pins keep conversations at the top of the list.
func pins() flag {
	return flag{
		has: func(c model.Conversation) bool { return c.Pinned },
		set: Changes.SetPinned, verbs: [2]string{"unpinning ", "pinning "}, done: [2]string{"unpinned ", "pinned "},
		undo: [2]string{"the end of the pin of ", "the pin of "},
	}
}

// archiving puts conversations out of the way.
func archiving() flag {
	return flag{
		has: func(c model.Conversation) bool { return c.Archived },
		set: Changes.SetArchived, verbs: [2]string{"bringing back ", "archiving "}, done: [2]string{"out of the archive again: ", "archived "},
		undo: [2]string{"the return of ", "the archiving of "}, moves: true,
	}
}

// toggle sets a flag on all conversations, or takes it away where all have it.
func (r *Root) toggle(f flag, of subjects) tea.Cmd {
	on := false
	for _, c := range of.convs {
		on = on || !f.has(c)
	}
	k := 0
	if on {
		k = 1
	}
	if f.moves {
		r.vanish(of.roots)
	} else {
		r.list().unmarkRoots(of.roots)
	}
	changes := r.opt.Changes
	next := r.list().more()
	return tea.Batch(next, r.work.add(&job{doing: f.verbs[k] + of.title(), do: func(ctx context.Context, _ func(int, int)) (func() tea.Cmd, error) {
		e, err := f.set(changes, ctx, of.ids, on)
		return func() tea.Cmd {
			left := map[string]bool{}
			for _, id := range of.ids {
				left[id] = err != nil
			}
			if err != nil || f.moves {
				r.vanished(of, left)
			}
			if err != nil {
				return nil
			}
			r.learn(of.roots, func(c *model.Conversation) { f.put(c, on) })
			if len(e.Cells) == 0 {
				return r.say(of.title() + " was so already")
			}
			s := r.editStep(e, f.undo[k]+of.title(), of.roots)
			s.after = func() { r.learn(of.roots, func(c *model.Conversation) { f.put(c, !on) }) }
			r.undo.push(s)
			return r.did(f.done[k] + of.title())
		}, err
	}}))
}

func (f flag) put(c *model.Conversation, on bool) {
	if f.moves {
		c.Archived = on
	} else {
		c.Pinned = on
	}
}

// editStep is the way back from an edit.
func (r *Root) editStep(e model.Edit, what string, roots []string) *step {
	changes := r.opt.Changes
	return &step{
		what: what, roots: roots, done: "took back " + what,
		back: func(ctx context.Context, _ func(int, int)) error { return changes.TakeBack(ctx, e) },
	}
}

// undoKey is how hints name the key that takes a change back.
func (r *Root) undoKey() string { return r.opt.Keys.find(InList, Undo).label() }

// learn tells the transcripts and trees of conversations what has changed about
// them.
func (r *Root) learn(roots []string, change func(*model.Conversation)) {
	for _, s := range r.screens {
		for _, root := range roots {
			switch s := s.(type) {
			case *transcript:
				if s.conv.RootID == root {
					change(&s.conv)
				}
			case *lineage:
				s.learn(root, change)
			}
		}
	}
}
