package ui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
)

// mostSteps is how many changes can be undone. Deleted rows are kept in memory
// while they are few, else in a file, so that this bounds both.
const mostSteps = 100

// step is a change that can be undone.
type step struct {
	what           string // "deleted 12 conversations"
	besideDatabase bool   // it changes nothing in the database, which may be read-only
	// back undoes the change. It may be called again after an error.
	back func(ctx context.Context, progress func(done, total int)) error
	// withoutTitles undoes it without the titles that other conversations have by
	// now; nil where that makes no sense.
	withoutTitles func(ctx context.Context, progress func(done, total int)) error
	after         func()            // is called in Update when it was undone; may be nil
	drop          func()            // forgets what it needs; may be nil
	roots         []string          // of the conversations that it is about
	rows          []list.RemovedRow // of these, that come back
	done          string            // the message afterwards: "restored 12 conversations (60 messages)"
}

// undo has the changes that can be undone, the latest last.
type undo struct{ steps []*step }

func (u *undo) push(s *step) {
	u.steps = append(u.steps, s)
	if len(u.steps) > mostSteps {
		u.steps[0].forget()
		u.steps = slices.Delete(u.steps, 0, 1)
	}
}

func (u *undo) forget() {
	for _, s := range u.steps {
		s.forget()
	}
	u.steps = nil
}

func (s *step) forget() {
	if s.drop != nil {
		s.drop()
	}
}

// undoHandler undoes the last change, or says why that is not possible.
func (c *changes) undoHandler() shell.Handler {
	why := ""
	n := len(c.undo.steps)
	switch {
	case n > 0 && c.undo.steps[n-1].besideDatabase:
	case n == 0 && !c.jobs.busy() && c.earlier != nil:
		return shell.Handler{Action: shell.Undo, Why: c.sh.Env().WhyUnchangeable(""), Do: c.earlier}
	case n == 0 && !c.jobs.busy():
		why = c.sh.Env().WhyUnchangeable("nothing to undo")
	default:
		why = c.sh.Env().WhyUnchangeable("")
	}
	return shell.Handler{Action: shell.Undo, Why: why, Do: c.undoLast}
}

// undoLast undoes the last change, after those that are still being made.
func (c *changes) undoLast() tea.Cmd {
	var said tea.Cmd
	if n := len(c.undo.steps); n > 0 && !c.jobs.busy() {
		c.list.Restore(c.undo.steps[n-1].rows)
		said = c.sh.Say("undoing: " + c.undo.steps[n-1].what + c.sh.Styles().Glyphs.Ellipsis)
	}
	return tea.Batch(said, c.jobs.add(&job{doing: "undoing", toastID: c.toast.id, begin: func() change {
		back := c.undoStep(false)
		return func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
			then, err := back(ctx, tell)
			return func() tea.Cmd {
				c.list.EndRestoring()
				if then == nil {
					return nil
				}
				return then()
			}, err
		}
	}}))
}

func (c *changes) undoStep(yield bool) change {
	n := len(c.undo.steps)
	if n == 0 {
		return func(context.Context, func(done, total int)) (func() tea.Cmd, error) {
			return nil, errNothingToUndo
		}
	}
	s := c.undo.steps[n-1]
	back, may := s.back, s.withoutTitles != nil && !yield
	if yield && s.withoutTitles != nil {
		back = s.withoutTitles
	}
	return func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		err := back(ctx, tell)
		if taken, ok := errors.AsType[model.TitleTaken](err); ok && may {
			return func() tea.Cmd { //nolint:contextcheck // a job gets its context when it is launched
				return c.sh.Do(takenMenu(taken, func() tea.Cmd {
					return c.jobs.add(&job{doing: "undoing", begin: func() change { return c.undoStep(true) }})
				}))
			}, nil
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return c.undone(s) }, nil
	}
}

func (c *changes) undone(s *step) tea.Cmd {
	if n := len(c.undo.steps); n > 0 && c.undo.steps[n-1] == s {
		c.undo.steps = c.undo.steps[:n-1]
	}
	s.forget()
	if s.after != nil {
		s.after()
	}
	c.list.Restored(s.roots)
	return c.sh.Say(s.done)
}

// takenMenu explains that another conversation has a title by now, and asks what to do; again
// undoes it without the title.
func takenMenu(taken model.TitleTaken, again func() tea.Cmd) shell.OpenMenu {
	return shell.OpenMenu{Title: "The title “" + kit.CleanLine(taken.Title) + "” is now used by " + kit.CleanLine(taken.Owner), Entries: []shell.Entry{
		{Letter: "n", Label: "cancel", Do: func() tea.Cmd { return nil }},
		{Letter: "y", Label: "undo it without the title", Do: again},
	}}
}
