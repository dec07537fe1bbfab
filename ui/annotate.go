package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// annotate replaces what is noted on a conversation or a message.
func (c *changes) annotate(writes *fileWrites, a shell.Annotation) tea.Cmd {
	book := c.sh.Env().Annotations
	before := book.On(a.Root, a.Message)
	before.Title = a.Title
	return writes.begin(func() (tea.Msg, error) {
		err := book.Put(a)
		return shell.Annotated{Annotation: a, Before: before, Err: err}, err
	})
}

// annotated adds a change of notes to the undo history. Of a note and of tags the footer says
// so; a bookmark shows, and the key that set it removes it.
func (c *changes) annotated(a shell.Annotated) tea.Cmd {
	now, before := a.Annotation, a.Before
	what, removed := "bookmark", false
	switch {
	case a.Err != nil:
		return nil
	case now.Note != before.Note:
		what, removed = "note", now.Note == ""
	case !slices.Equal(now.Tags, before.Tags):
		what, removed = "tags", len(now.Tags) == 0
	case now.Bookmark == before.Bookmark:
		return nil
	}
	book, of := c.sh.Env().Annotations, "the "+what+" of “"+kit.CleanLine(now.Title)+"”"
	c.undo.push(&step{
		what: of, done: "undone: " + of, besideDatabase: true,
		back: func(context.Context, func(int, int)) error {
			on := book.On(now.Root, now.Message) // with what another program has noted since
			on.Title = before.Title
			switch what {
			case "note":
				on.Note = before.Note
			case "tags":
				on.Tags = before.Tags
			default:
				on.Bookmark = before.Bookmark
			}
			return book.Put(on)
		},
		after: func() { c.tell(shell.Annotated{Annotation: before, Before: now}) },
	})
	switch {
	case what == "bookmark":
		return nil
	case removed:
		return c.did(what + " removed")
	}
	return c.did(what + " saved")
}
