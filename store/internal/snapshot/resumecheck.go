package snapshot

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// ResumeCheck says what matters before a conversation is resumed, see
// store.Store.ResumeCheck.
func (s *Sessions) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	snap, err := s.FamilySnapshot(ctx, id)
	if err != nil {
		return model.ResumeCheck{}, err
	}
	conv, ok := snap.ConversationOf(id)
	if !ok {
		return model.ResumeCheck{}, s.db.NotFoundError(id)
	}
	root, _ := snap.Position(conv.RootID)
	now := s.db.Clock()
	st := model.ResumeCheck{
		Tip: conv.Session, State: model.StateOf(&conv, "", now), LastActive: conv.LastActive,
		IsDelegate: snap.Lineage.Link[root] == model.LinkDelegate || conv.Source == "subagent",
	}
	if p := snap.Lineage.Parent[root]; st.IsDelegate && p >= 0 {
		st.ParentTip = snap.ConversationAt(int(p)).Session
	}
	segments := snap.Lineage.SegmentsOf(root)
	tip := segments[len(segments)-1]
	if i := snap.newestWithMessages(segments); i >= 0 && i != tip {
		st.Before = snap.Session(i)
	}
	if i := snap.resumeTarget(s.db.Schema, tip); !slices.Contains(segments, i) {
		st.GoesOn = snap.Session(i)
	}
	err = s.db.ReadTx(ctx, func(q db.Querier) error {
		h, err := s.db.LockOf(ctx, q, s.db.Schema, db.Seconds(now), conv.Segments...)
		st.HeldBy, st.HeldUntil = h.Activity, h.Until
		return err
	})
	return st, s.db.WrapError("look for activity in "+id+" of", err)
}
