package store

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// Fork finds the place where a session left the one above it. A branch begins
// with copies of what was said before: the last of them is the place. A
// delegate left at the call that started it. Where neither is found it is the
// last message that stood there when the session began. A session with none
// above it has only its first message. The error is of [KindNotFound] for an
// unknown session.
func (s *Store) Fork(ctx context.Context, id string) (model.Fork, error) {
	var f model.Fork
	c, i, err := s.placed(ctx, id)
	if err != nil {
		return f, err
	}
	o, err := s.outline(ctx, id, false)
	if err != nil {
		return f, err
	}
	own := o.Segment(id)
	p := c.lineage.Parent[i]
	if p >= 0 {
		f.Parent = c.id(int(p))
		if err := s.leave(ctx, &f, c.Session(i), c.lineage.Link[i], own); err != nil {
			return f, err
		}
	}
	if f.Copied < len(own) {
		f.First = own[f.Copied]
	}
	return f, nil
}

// leave fills in where a session, whose messages are own, left its parent.
func (s *Store) leave(ctx context.Context, f *model.Fork, child model.Session, link model.Link, own []int64) error {
	o, err := s.outline(ctx, f.Parent, false)
	if err != nil {
		return err
	}
	theirs := o.Segment(f.Parent)
	at := len(theirs) // messages of the parent before the place
	if link == model.LinkBranch {
		if at, f.Copied, err = s.shared(ctx, theirs, own); err != nil {
			return err
		}
	}
	if link != model.LinkSegment && f.Copied == 0 {
		if at, err = s.before(ctx, f.Parent, theirs, &child); err != nil {
			return err
		}
	}
	if link == model.LinkDelegate {
		if at, err = s.delegation(ctx, theirs, at); err != nil {
			return err
		}
	}
	f.Of = len(o.IDs)
	if at > 0 {
		f.Message = theirs[at-1]
		f.Number = slices.Index(o.IDs, f.Message) + 1
	}
	return nil
}

// skipped is how many messages of the parent a branch may leave out between
// two that it copies: scaffolding is not taken along.
const skipped = 8

// shared tells how many messages a branch begins with that are its parent's,
// and how many of the parent's had been said by then.
func (s *Store) shared(ctx context.Context, theirs, own []int64) (at, copied int, err error) {
	const page = 100
	var parent, child []model.Message
	next := 0 // of the parent's
	for k := range own {
		if k%page == 0 {
			if child, err = s.MessagesByID(ctx, own[k:min(k+page, len(own))]); err != nil {
				return 0, 0, err
			}
			if len(child) != min(page, len(own)-k) {
				return at, copied, nil // some have gone in the meantime
			}
		}
		found := false
		for j := next; j < min(next+skipped, len(theirs)) && !found; j++ {
			for j >= len(parent) {
				more, err := s.MessagesByID(ctx, theirs[len(parent):min(len(parent)+page, len(theirs))])
				if err != nil || len(more) == 0 {
					return at, copied, err
				}
				parent = append(parent, more...)
			}
			if found = sameSaid(parent[j], child[k%page]); found {
				next, at, copied = j+1, j+1, k+1
			}
		}
		if !found {
			break
		}
	}
	return at, copied, nil
}

// sameSaid reports whether one message is a copy of another.
func sameSaid(a, b model.Message) bool {
	return a.Role == b.Role && a.Content.Text == b.Content.Text && a.ToolCallID == b.ToolCallID &&
		slices.Equal(a.Content.Media, b.Content.Media) && slices.Equal(a.Calls, b.Calls)
}

// before counts the messages of a parent up to the last that stood there when
// its child began.
func (s *Store) before(ctx context.Context, parent string, theirs []int64, child *model.Session) (int, error) {
	if child.StartedAt.IsZero() {
		return 0, nil
	}
	const slack = 0.001 // seconds; both times are rounded
	rows, err := s.db.QueryContext(ctx, `SELECT max(id) FROM messages WHERE session_id = ? AND timestamp <= ?`,
		parent, float64(child.StartedAt.UnixMicro())/1e6+slack)
	var last int64
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			last = number(r[0].Value)
			return nil
		})
	}
	if err != nil && !corrupt(err) {
		return 0, s.wrap("read "+parent+" of", err)
	}
	at, exact := slices.BinarySearch(theirs, last)
	if exact {
		at++
	}
	return at, nil
}

// delegation moves a place to the call by which a delegate was started: before
// it, when other tools have answered in between, or after it, when the parent
// wrote down its whole turn at its end.
func (s *Store) delegation(ctx context.Context, theirs []int64, at int) (int, error) {
	const back, ahead = 16, 64
	from := max(0, at-back)
	near, err := s.MessagesByID(ctx, theirs[from:min(at+ahead, len(theirs))])
	if err != nil || len(near) != min(at+ahead, len(theirs))-from {
		return at, err
	}
	delegates := func(m model.Message) bool {
		return slices.ContainsFunc(m.Calls, func(c model.ToolCall) bool { return strings.Contains(c.Name, "delegate") })
	}
	for k := at - from - 1; k >= 0; k-- {
		if delegates(near[k]) {
			return from + k + 1, nil
		}
		if near[k].Speaker() != model.Tool {
			break
		}
	}
	prompts := 0
	for k := at - from; k < len(near) && prompts < 2; k++ {
		if delegates(near[k]) {
			return from + k + 1, nil
		}
		if near[k].Speaker() == model.User {
			prompts++
		}
	}
	return at, nil
}
