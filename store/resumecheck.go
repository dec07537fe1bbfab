package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// ResumeCheck says how the conversation of a session stands, for somebody who
// wants to resume it: its tip, whether another process is at work in it
// (store/README.md#sessions-in-use), and whose work it is. The error is of
// [db.KindNotFound] for an unknown session.
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
