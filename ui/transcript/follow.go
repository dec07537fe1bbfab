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

func newFollow(s *Screen) follow {
	lib := s.env.Library
	return follow{read: kit.NewLatest(s.env.Context, func(ctx context.Context, id string) (model.Outline, error) {
		return lib.Outline(ctx, id)
	})}
}

// followVersion reads the outline again if the database has a new version.
func (s *Screen) followVersion(msg shell.Polled) tea.Cmd {
	if s.pages == nil || msg.Err != nil || !s.sh.Shown(s) {
		return nil
	}
	f := &s.follow
	if f.seen == 0 {
		f.seen = s.pages.version
	}
	// Beside a busy writer, the pause grows with the cost of a read.
	if f.seen == msg.Version || !f.read.Settled() || s.env.Clock().Sub(f.asked) < shell.RefreshPause*f.took {
		return nil
	}
	f.seen = msg.Version
	return s.Poll()
}

// Poll reads the outline again to see what is new.
func (s *Screen) Poll() tea.Cmd {
	s.follow.asked = s.env.Clock()
	return s.follow.read.Ask(s.Conv.ID)
}

// takeOutline takes an outline that was read again. New messages are appended; the window
// stays where it is, or follows them if it was at the end. If anything else has changed,
// the whole conversation is read again.
func (s *Screen) takeOutline(msg kit.Answer[string, model.Outline]) tea.Cmd {
	f := &s.follow
	ok, next := f.read.Take(msg)
	f.took = s.env.Clock().Sub(f.asked)
	if !ok || msg.Err != nil || s.pages == nil { // the list reports errors and polls again
		return next
	}
	p, o := s.pages, msg.Value
	was, starts := len(p.outline.MessageIDs), len(p.outline.SegmentStarts)
	if len(o.MessageIDs) < was || len(o.SegmentStarts) < starts || !slices.Equal(o.MessageIDs[:was], p.outline.MessageIDs) || !slices.Equal(o.SegmentStarts[:starts], p.outline.SegmentStarts) {
		if s.rows.Len > 0 {
			s.where = opening{id: s.Conv.ID, at: p.outline.MessageIDs[s.rows.Selected/2]}
		}
		return tea.Batch(next, s.open.Ask(s.where))
	}
	s.Conv = o.Conversation
	if len(o.MessageIDs) == was {
		p.outline.Conversation, p.outline.Rewound = o.Conversation, o.Rewound
		return next
	}
	atEnd := s.rows.Len == 0 || s.rows.AtEnd()
	s.hold(func() {
		p.grow(o)
		s.pairTools()
		s.rows.Len = len(p.skeletons) * 2
	})
	cmd := tea.Batch(next, s.search.grow(was, len(p.skeletons)), s.prompts.read())
	if !atEnd {
		f.fresh += len(o.MessageIDs) - was
		return tea.Batch(cmd, s.ahead())
	}
	return tea.Batch(cmd, s.toEnd())
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
func (s *Screen) toEnd() tea.Cmd {
	return s.jump(len(s.pages.skeletons)-1, func() {
		s.rows.GoToEnd(true)
		s.rows.Selected = s.nextVisible(s.rows.Len, -1)
		s.follow.fresh = 0
	})
}

// followNow goes to the end and reads the outline at once.
func (s *Screen) followNow() tea.Cmd {
	say := "following: new messages appear here"
	if s.Conv.State != model.StateRunning {
		say = "following, but this conversation is not running"
	}
	cmd := s.toEnd()
	if s.follow.read.Settled() {
		cmd = tea.Batch(cmd, s.Poll())
	}
	return tea.Batch(cmd, s.sh.Say(say))
}

// following is the header's note about new messages, "" for none.
func (s *Screen) following() string {
	switch {
	case s.follow.fresh > 0:
		return kit.Count(s.follow.fresh) + " new below"
	case s.Conv.State == model.StateRunning && s.rows.AtEnd():
		return "following"
	case s.Conv.State == model.StateRunning:
		return "running"
	}
	return ""
}

// grow takes an outline that extends the former one.
func (p *pages) grow(o model.Outline) {
	for i := len(p.outline.MessageIDs); i < len(o.MessageIDs); i++ {
		p.index[o.MessageIDs[i]] = i
	}
	p.skeletons = append(p.skeletons, make([]model.Skeleton, len(o.MessageIDs)-len(p.skeletons))...)
	p.outline, p.ids = o, &o.MessageIDs
	p.indexCopies()
}
