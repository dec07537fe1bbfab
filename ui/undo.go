package ui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// mostSteps is how many changes can be taken back. What a deletion removed is
// kept in memory as long as it is little, else in a file, so that this bounds
// both.
const mostSteps = 100

// step is a change that can be taken back.
type step struct {
	what string // "the deletion of 12 conversations"
	// back takes the change back. It may be called again after an error.
	back func(ctx context.Context, progress func(done, total int)) error
	// yield takes it back without the titles that others have by now; nil
	// where that makes no sense.
	yield func(ctx context.Context, progress func(done, total int)) error
	after func()     // is called in Update when it was taken back; may be nil
	drop  func()     // forgets what it needs; may be nil
	roots []string   // of the conversations that it is about
	rows  []departed // of these, that come back
	done  string     // what it says afterwards: "brought back 12 conversations"
}

// undo is what can be taken back, the latest change last.
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

// undoAction takes the last change back; it also says what stands against it.
func (r *Root) undoAction() action {
	why := ""
	if len(r.undo.steps) == 0 && !r.work.busy() {
		why = "nothing has been changed yet that could be taken back"
	}
	return action{Undo, r.changing(why), r.takeBack}
}

// did says what was done, and how to take it back: by the key, or by a click on
// the line.
func (r *Root) did(text string) tea.Cmd {
	say := r.say(text + " — " + r.undoKey() + " undo")
	r.toast.offers = Undo
	return say
}

// takeBack takes the last change back, after those that are still being made.
func (r *Root) takeBack() tea.Cmd {
	var said tea.Cmd
	if n := len(r.undo.steps); n > 0 && !r.work.busy() {
		r.list().expect(r.undo.steps[n-1].rows)
		said = r.say("taking back " + r.undo.steps[n-1].what + r.styles.Glyphs.Ellipsis)
	}
	return tea.Batch(said, r.work.add(&job{doing: "taking it back", said: r.toast.id, do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		then, err := r.backStep(ctx, tell, false)
		return func() tea.Cmd {
			r.list().coming = nil // the answer that is asked for next knows
			if then == nil {
				return nil
			}
			return then()
		}, err
	}}))
}

// backStep takes the last step. It runs in a command, but while a job runs
// nobody else touches the steps.
func (r *Root) backStep(ctx context.Context, tell func(done, total int), yield bool) (func() tea.Cmd, error) {
	n := len(r.undo.steps)
	if n == 0 {
		return nil, errors.New("there is nothing to take back any more")
	}
	s := r.undo.steps[n-1]
	back := s.back
	if yield && s.yield != nil {
		back = s.yield
	}
	err := back(ctx, tell)
	if taken, ok := errors.AsType[model.TitleTaken](err); ok && s.yield != nil && !yield {
		return func() tea.Cmd { return r.open(newTakenBack(r, s, taken)) }, nil
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		if n := len(r.undo.steps); n > 0 && r.undo.steps[n-1] == s {
			r.undo.steps = r.undo.steps[:n-1]
		}
		s.forget()
		if s.after != nil {
			s.after()
		}
		r.reappear(s.roots)
		return r.say(s.done)
	}, nil
}

// newTakenBack explains that a title is somebody else's by now, and asks what
// to do.
func newTakenBack(r *Root, s *step, taken model.TitleTaken) dialog {
	return &menu{root: r, title: "The title “" + CleanLine(taken.Title) + "” belongs to " + CleanLine(taken.Owner) + " by now", entries: []entry{
		{letter: "n", label: "leave things as they are", do: func() tea.Cmd { return nil }},
		{letter: "y", label: "take back " + s.what + ", without the title", do: func() tea.Cmd {
			return r.work.add(&job{doing: "taking it back", do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
				return r.backStep(ctx, tell, true)
			}})
		}},
	}}
}
