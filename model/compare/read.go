package compare

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
)

// The reasons why two conversations are not compared.
var (
	ErrSame     = errors.New("these are the same conversation; compare it with another one")
	ErrNoParent = errors.New("this conversation has no parent to compare it with")
)

// pageSize is how many messages are read at once.
const pageSize = 500

// Source is where conversations are read.
type Source interface {
	Outline(ctx context.Context, id string) (model.Outline, error)
	MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error)
	Fork(ctx context.Context, id string) (model.Fork, error)
}

// Pair is two conversations, compared.
type Pair struct {
	Conversations [2]model.Conversation
	Comparison
}

// Branch compares the conversation of a session, B, with the one of its parent, A. The error is
// [ErrNoParent] for a conversation without one, or the source's.
func Branch(ctx context.Context, s Source, id string) (Pair, error) {
	o, err := s.Outline(ctx, id)
	if err != nil {
		return Pair{}, err
	}
	f, err := s.Fork(ctx, o.Conversation.RootID)
	if err != nil {
		return Pair{}, err
	}
	if f.Parent == "" {
		return Pair{}, ErrNoParent
	}
	return pair(ctx, s, f.Parent, id, f)
}

// Two compares the conversations of two sessions. The error is [ErrSame] if both are in one
// conversation, or the source's.
func Two(ctx context.Context, s Source, a, b string) (Pair, error) {
	return pair(ctx, s, a, b, model.Fork{})
}

// pair compares the conversations of two sessions. Where a fork names the last message of A
// that B goes on from without a copy of it, they diverge there.
func pair(ctx context.Context, s Source, a, b string, f model.Fork) (p Pair, err error) {
	var left [2][]int64
	for side, id := range []string{a, b} {
		o, err := s.Outline(ctx, id)
		if err != nil {
			return p, err
		}
		p.Conversations[side], left[side] = o.Conversation, o.MessageIDs
	}
	if p.Conversations[0].RootID == p.Conversations[1].RootID {
		return p, ErrSame
	}
	if at := slices.Index(left[0], f.LastShared); f.LastShared != 0 && f.CopiedMessages == 0 && at >= 0 {
		last, err := s.MessagesOf(ctx, a, left[0][at:at+1])
		if err != nil {
			return p, err
		}
		if len(last) > 0 {
			p.share(at+1, excerptOf(&last[0]))
		}
		left[0] = left[0][at+1:]
	}
	for len(left[0])+len(left[1]) > 0 {
		side := p.next()
		if len(left[side]) == 0 {
			p.part()
			side = 1 - side
		}
		n := min(pageSize, len(left[side]))
		page, err := s.MessagesOf(ctx, p.Conversations[side].ID, left[side][:n])
		if err != nil {
			return p, err
		}
		p.add(side, page)
		left[side] = left[side][n:]
	}
	p.part()
	p.sort()
	return p, nil
}
