package store

import (
	"context"
	"errors"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/compare"
)

// compared is a database to compare conversations of.
type compared struct{ *Store }

func (c compared) MessagesOf(ctx context.Context, _ string, ids []int64) ([]model.Message, error) {
	return c.MessagesByID(ctx, ids)
}

// Every session that has a parent is compared with it: what is the same
// and what came after that are all messages of the parent's conversation.
func TestEveryBranchIsComparedWithItsParent(t *testing.T) {
	t.Parallel()
	parted := 0
	for _, version := range someOf(versionsToTest(t), 2) {
		s := openFixture(t, version)
		for _, id := range texts(t, s, `SELECT id FROM sessions WHERE parent_session_id IS NOT NULL ORDER BY id`) {
			p, err := compare.Branch(t.Context(), compared{s}, id)
			if errors.Is(err, compare.ErrNoParent) {
				continue // a later segment of a conversation without one, or its parent is gone
			}
			if err != nil {
				t.Errorf("%s: %s: %v", version, id, err)
				continue
			}
			o, err := s.Outline(t.Context(), p.Conversations[0].ID)
			if err != nil || p.Common+p.Sides[0].Messages != len(o.MessageIDs) {
				t.Errorf("%s: %s: %d and %d of %d messages, %v", version, id, p.Common, p.Sides[0].Messages, len(o.MessageIDs), err)
			}
			if p.Common > 0 {
				parted++
			}
		}
	}
	if parted < campaign.Length(2, 5) {
		t.Errorf("only %d have anything in common with their parents", parted)
	}
}
