package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// follow keeps a transcript in step with a conversation that goes on. The list
// below looks for changes of the database every second; what it sees is meant
// for the transcript over it too.
type follow struct {
	read  *flight[string, model.Outline]
	asked time.Time
	took  time.Duration // by the latest look
	seen  int64         // version of the database that the outline is of
	fresh int           // messages that came below while the reader was elsewhere
}

func newFollow(t *transcript) follow {
	lib := t.env.Library
	return follow{read: newFlight(t.env.Context, func(ctx context.Context, id string) (model.Outline, error) {
		return lib.Outline(ctx, id)
	})}
}

// changed takes a look at the database's version.
func (t *transcript) changed(msg polled) tea.Cmd {
	if t.pages == nil || msg.err != nil || !t.sh.Shown(t) {
		return nil
	}
	f := &t.follow
	if f.seen == 0 {
		f.seen = t.pages.version
	}
	// Beside a busy writer, looking must not become all that we do.
	if f.seen == msg.version || !f.read.settled() || t.env.Clock().Sub(f.asked) < restAfter*f.took {
		return nil
	}
	f.seen = msg.version
	return t.Look()
}

// Look reads the outline again.
func (t *transcript) Look() tea.Cmd {
	t.follow.asked = t.env.Clock()
	return t.follow.read.ask(t.conv.ID)
}

// looked takes an outline that was read again. New messages appear at the end;
// the reader's place is kept, but at the end it goes along. Where more than
// that has changed, the conversation is read anew.
func (t *transcript) looked(msg landed[string, model.Outline]) tea.Cmd {
	f := &t.follow
	ok, next := f.read.land(msg)
	f.took = t.env.Clock().Sub(f.asked)
	if !ok || msg.err != nil || t.pages == nil { // the list tells of faults, and looks again
		return next
	}
	p, o := t.pages, msg.answer
	was, starts := len(p.outline.MessageIDs), len(p.outline.SegmentStarts)
	if len(o.MessageIDs) < was || len(o.SegmentStarts) < starts || !slices.Equal(o.MessageIDs[:was], p.outline.MessageIDs) || !slices.Equal(o.SegmentStarts[:starts], p.outline.SegmentStarts) {
		if t.rows.n > 0 {
			t.where = opening{id: t.conv.ID, at: p.outline.MessageIDs[t.rows.sel/2]}
		}
		return tea.Batch(next, t.open.ask(t.where))
	}
	t.conv = o.Conversation
	if len(o.MessageIDs) == was {
		p.outline.Conversation, p.outline.Rewound = o.Conversation, o.Rewound
		return next
	}
	atEnd := t.rows.n == 0 || t.rows.atEnd()
	t.hold(func() {
		p.grow(o)
		t.weave()
		t.rows.n = len(p.gists) * 2
	})
	cmd := tea.Batch(next, t.search.grow(was, len(p.gists)), t.survey())
	if !atEnd {
		f.fresh += len(o.MessageIDs) - was
		return tea.Batch(cmd, t.ahead())
	}
	return tea.Batch(cmd, t.toEnd())
}

// grow looks for the pattern in new messages too, [from, to).
func (s *search) grow(from, to int) tea.Cmd {
	if s.pattern.Empty() {
		return nil
	}
	for i := from; i < to; i++ {
		s.todo = append(s.todo, i)
	}
	if !s.known { // it is at it
		return nil
	}
	s.known = false
	return s.next(sweepSlice)
}

// toEnd goes to the end, where new messages are followed as they come.
func (t *transcript) toEnd() tea.Cmd {
	return t.jump(len(t.pages.gists)-1, func() {
		t.rows.ends(true)
		t.rows.sel = t.beside(t.rows.n, -1)
		t.follow.fresh = 0
	})
}

// followNow goes to the end and looks at once for what is new.
func (t *transcript) followNow() tea.Cmd {
	say := "new messages appear here as they come"
	if t.conv.State != model.StateRunning {
		say = "this conversation is not running; new messages would appear here"
	}
	cmd := t.toEnd()
	if t.follow.read.settled() {
		cmd = tea.Batch(cmd, t.Look())
	}
	return tea.Batch(cmd, t.sh.Say(say))
}

// following says in the header how the conversation goes on.
func (t *transcript) following() string {
	switch {
	case t.follow.fresh > 0:
		return count(t.follow.fresh) + " new below"
	case t.conv.State == model.StateRunning && t.rows.atEnd():
		return "following"
	case t.conv.State == model.StateRunning:
		return "running"
	}
	return ""
}

// grow takes an outline that begins as the one before.
func (p *pages) grow(o model.Outline) {
	for i := len(p.outline.MessageIDs); i < len(o.MessageIDs); i++ {
		p.index[o.MessageIDs[i]] = i
	}
	p.gists = append(p.gists, make([]model.Skeleton, len(o.MessageIDs)-len(p.gists))...)
	p.outline, p.ids = o, &o.MessageIDs
	p.indexCopies()
}
