package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
)

// changes makes the changes that screens and dialogs request, one after another
// behind the screens, and undoes them. What a change does to the screens is
// done in Update, before it begins and after it has ended; the work between is
// done in a command, which knows the database and nothing of the screens.
type changes struct {
	sh    shell.Shell
	made  shell.Changes // of the database; nil where nothing may be changed
	list  *list.Screen
	toast *toast
	tell  func(tea.Msg)                   // gives a message to all screens
	leave func(sessions []string) tea.Cmd // takes deleted sessions from the screens over the list
	jobs  jobQueue
	undo  undo
	// earlier offers the deletions of earlier runs; nil where none are kept.
	earlier func() tea.Cmd
}

// did shows which change was made, and how to undo it: by the key, or by a click
// on the line.
func (c *changes) did(text string) tea.Cmd {
	say := c.sh.Say(text + " · " + c.undoKey() + " undo")
	c.toast.action = shell.Undo
	return say
}

// undoKey is how hints name the key that undoes a change.
func (c *changes) undoKey() string { return c.sh.Env().Keys.Find(shell.InList, shell.Undo).KeyText() }

// editStep is the way back from an edit.
func (c *changes) editStep(e model.Edit, what string, roots []string) *step {
	made := c.made
	return &step{
		what: what, roots: roots, done: "undone: " + what,
		back: func(ctx context.Context, _ func(int, int)) error { return made.UndoEdit(ctx, e) },
	}
}

// close waits for the running change, and drops the undo history. Its error says that a
// change was stopped halfway.
func (c *changes) close() error {
	err := c.jobs.close()
	c.undo.forget()
	return err
}
