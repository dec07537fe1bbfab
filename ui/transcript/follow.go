package transcript

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// follow keeps a transcript up to date while its conversation continues. The list polls
// the database for changes every second, and its results reach the transcript too.
type follow struct {
	read  *kit.Latest[string, model.Outline]
	asked time.Time
	took  time.Duration // by the latest read of the outline
	seen  int64         // version of the database that the outline is of
	fresh int           // messages that came below while the reader was elsewhere
}

func newFollow(t *Screen) follow {
	lib := t.env.Library
	return follow{read: kit.NewLatest(t.env.Context, func(ctx context.Context, id string) (model.Outline, error) {
		return lib.Outline(ctx, id)
	})}
}

// followVersion reads the outline again if the database has a new version.
func (t *Screen) followVersion(msg shell.Polled) tea.Cmd {
	if t.Pages == nil || msg.Err != nil || !t.sh.Shown(t) {
		return nil
	}
	f := &t.follow
	if f.seen == 0 {
		f.seen = t.Pages.version
	}
	// Beside a busy writer, the pause grows with the cost of a read.
	if f.seen == msg.Version || !f.read.Settled() || t.env.Clock().Sub(f.asked) < shell.RefreshPause*f.took {
		return nil
	}
	f.seen = msg.Version
	return t.Poll()
}

// Poll reads the outline again to see what is new.
func (t *Screen) Poll() tea.Cmd {
	t.follow.asked = t.env.Clock()
	return t.follow.read.Ask(t.Conv.ID)
}

// takeOutline takes an outline that was read again. New messages are appended; the window
// stays where it is, or follows them if it was at the end. If anything else has changed,
// the whole conversation is read again.
func (t *Screen) takeOutline(msg kit.Answer[string, model.Outline]) tea.Cmd {
	f := &t.follow
	ok, next := f.read.Take(msg)
	f.took = t.env.Clock().Sub(f.asked)
	if !ok || msg.Err != nil || t.Pages == nil { // the list reports errors and polls again
		return next
	}
	p, o := t.Pages, msg.Value
	was, starts := len(p.Outline.MessageIDs), len(p.Outline.SegmentStarts)
	if len(o.MessageIDs) < was || len(o.SegmentStarts) < starts || !slices.Equal(o.MessageIDs[:was], p.Outline.MessageIDs) || !slices.Equal(o.SegmentStarts[:starts], p.Outline.SegmentStarts) {
		if t.Rows.Len > 0 {
			t.Where = Opening{id: t.Conv.ID, at: p.Outline.MessageIDs[t.Rows.Selected/2]}
		}
		return tea.Batch(next, t.Open.Ask(t.Where))
	}
	t.Conv = o.Conversation
	if len(o.MessageIDs) == was {
		p.Outline.Conversation, p.Outline.Rewound = o.Conversation, o.Rewound
		return next
	}
	atEnd := t.Rows.Len == 0 || t.Rows.AtEnd()
	t.hold(func() {
		p.grow(o)
		t.pairTools()
		t.Rows.Len = len(p.Skeletons) * 2
	})
	cmd := tea.Batch(next, t.Search.grow(was, len(p.Skeletons)), t.prompts.read())
	if !atEnd {
		f.fresh += len(o.MessageIDs) - was
		return tea.Batch(cmd, t.ahead())
	}
	return tea.Batch(cmd, t.toEnd())
}

// grow searches the new messages, positions [from, to), for the pattern too.
func (s *search) grow(from, to int) tea.Cmd {
	if s.pattern.Empty() {
		return nil
	}
	for i := from; i < to; i++ {
		s.todo = append(s.todo, i)
	}
	if !s.known { // a sweep is running
		return nil
	}
	s.known = false
	return s.next(sweepSlice)
}

// toEnd goes to the end, where the window follows new messages.
func (t *Screen) toEnd() tea.Cmd {
	return t.jump(len(t.Pages.Skeletons)-1, func() {
		t.Rows.GoToEnd(true)
		t.Rows.Selected = t.nextVisible(t.Rows.Len, -1)
		t.follow.fresh = 0
	})
}

// followNow goes to the end and reads the outline at once.
func (t *Screen) followNow() tea.Cmd {
	say := "following: new messages appear here"
	if t.Conv.State != model.StateRunning {
		say = "following, but this conversation is not running"
	}
	cmd := t.toEnd()
	if t.follow.read.Settled() {
		cmd = tea.Batch(cmd, t.Poll())
	}
	return tea.Batch(cmd, t.sh.Say(say))
}

// following is the header's note about new messages, "" for none.
func (t *Screen) following() string {
	switch {
	case t.follow.fresh > 0:
		return kit.Count(t.follow.fresh) + " new below"
	case t.Conv.State == model.StateRunning && t.Rows.AtEnd():
		return "following"
	case t.Conv.State == model.StateRunning:
		return "running"
	}
	return ""
}

// grow takes an outline that extends the former one.
func (p *pages) grow(o model.Outline) {
	for i := len(p.Outline.MessageIDs); i < len(o.MessageIDs); i++ {
		p.index[o.MessageIDs[i]] = i
	}
	p.Skeletons = append(p.Skeletons, make([]model.Skeleton, len(o.MessageIDs)-len(p.Skeletons))...)
	p.Outline, p.IDs = o, &o.MessageIDs
	p.indexCopies()
}
