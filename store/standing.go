package store

import (
	"context"

	"hermes-sessions/model"
)

// Standing says how the conversation of a session stands, for somebody who
// wants to resume it: its tip, whether another process is at work in it
// (store/README.md#sessions-in-use), and whose work it is. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Standing(ctx context.Context, id string) (model.Standing, error) {
	c, err := s.familyOf(ctx, id)
	if err != nil {
		return model.Standing{}, err
	}
	conv, ok := c.conversationOf(id)
	if !ok {
		return model.Standing{}, s.notFound(id)
	}
	root, _ := c.find(conv.RootID)
	now := s.now()
	st := model.Standing{
		Tip: conv.Session, State: model.StateOf(&conv, "", now), LastActive: conv.LastActive,
		Delegate: c.lineage.Link[root] == model.LinkDelegate || conv.Source == "subagent",
	}
	if p := c.lineage.Parent[root]; st.Delegate && p >= 0 {
		st.Parent = c.conversation(int(p)).Session
	}
	err = s.snapshot(ctx, func(q queryer) error {
		h, err := holderOf(ctx, q, s.schema, seconds(now), conv.Segments...)
		st.Busy, st.BusyUntil = h.does, h.until
		return err
	})
	return st, s.wrap("look who is at work in "+id+" of", err)
}
