package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// ResumeCheck says what a person should know before resuming a conversation from
// session id: its tip and state, whether another process is working in it
// (store/README.md#sessions-in-use), and whether it is the work of a delegate. The
// error is of [KindNotFound] for an unknown session.
func (s *Store) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	c, err := s.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return model.ResumeCheck{}, err
	}
	conv, ok := c.ConversationOf(id)
	if !ok {
		return model.ResumeCheck{}, s.db.NotFoundError(id)
	}
	root, _ := c.Position(conv.RootID)
	now := s.db.Clock()
	st := model.ResumeCheck{
		Tip: conv.Session, State: model.StateOf(&conv, "", now), LastActive: conv.LastActive,
		IsDelegate: c.Lineage.Link[root] == model.LinkDelegate || conv.Source == "subagent",
	}
	if p := c.Lineage.Parent[root]; st.IsDelegate && p >= 0 {
		st.ParentTip = c.ConversationAt(int(p)).Session
	}
	err = s.db.ReadTx(ctx, func(q db.Querier) error {
		h, err := db.LockOf(ctx, q, s.db.Schema, db.Seconds(now), conv.Segments...)
		st.HeldBy, st.HeldUntil = h.Activity, h.Until
		return err
	})
	return st, s.db.WrapError("look who is at work in "+id+" of", err)
}
