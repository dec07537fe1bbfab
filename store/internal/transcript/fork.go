package transcript

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Fork finds the place where a session left its parent; see store.Store.Fork for the
// contract.
func (r *Reader) Fork(ctx context.Context, id string) (model.Fork, error) {
	var f model.Fork
	snap, i, err := r.sessions.PositionOf(ctx, id)
	if err != nil {
		return f, err
	}
	sessions := []string{id} // and those of its parent's conversation
	if p := int(snap.Lineage.Parent[i]); p >= 0 {
		f.Parent = snap.ID(p)
		sessions = append(sessions, snap.ConversationAt(p).Segments...)
	}
	ids, err := r.messageIDsOf(ctx, sessions)
	if err != nil {
		return f, err
	}
	own := ids[0]
	if f.Parent != "" {
		var theirs []int64
		earlier := 0 // messages of the segments before the parent
		for k, segment := range ids[1:] {
			if f.ParentMessages += len(segment); sessions[1+k] == f.Parent {
				theirs = segment
			} else if theirs == nil {
				earlier += len(segment)
			}
		}
		if err := r.forkPoint(ctx, &f, snap.Session(i), snap.Lineage.Link[i], theirs, own); err != nil {
			return f, err
		}
		if f.Position > 0 {
			f.Position += earlier
		}
	}
	if f.CopiedMessages < len(own) {
		f.FirstOwn = own[f.CopiedMessages]
	}
	return f, nil
}

// messageIDsOf returns the ids of the visible messages of each session.
func (r *Reader) messageIDsOf(ctx context.Context, sessions []string) ([][]int64, error) {
	ids := make([][]int64, len(sessions))
	err := r.db.ReadTx(ctx, func(q db.Querier) (err error) {
		q = r.db.CachedStatements(q)
		for k, session := range sessions {
			if ids[k], _, err = r.visibleIDs(ctx, q, session); err != nil {
				return err
			}
		}
		return nil
	})
	if !db.IsCorrupt(err) {
		return ids, r.db.WrapError("read "+sessions[0]+" of", err)
	}
	r.db.AddNote(model.NoteDamaged)
	left, err := r.sessions.Salvage.BySession(ctx)
	for k, session := range sessions {
		if rest := left[session]; rest != nil {
			ids[k] = rest.IDs
		}
	}
	return ids, err
}

// forkPoint fills in where a session left its parent, whose messages are theirs; Position
// is counted in the parent alone. own are the messages of the session.
func (r *Reader) forkPoint(ctx context.Context, f *model.Fork, child model.Session, link model.Link, theirs, own []int64) (err error) {
	if len(theirs) == 0 {
		return nil
	}
	at := len(theirs) // messages of the parent up to the fork
	if link == model.LinkBranch {
		if at, f.CopiedMessages, err = r.sharedPrefix(ctx, theirs, own); err != nil {
			return err
		}
	}
	if link != model.LinkSegment && f.CopiedMessages == 0 {
		if at, err = r.messagesBefore(ctx, f.Parent, theirs, &child); err != nil {
			return err
		}
	}
	if link == model.LinkDelegate {
		if at, err = r.delegatingMessage(ctx, theirs, at); err != nil {
			return err
		}
	}
	if at > 0 {
		f.LastShared, f.Position = theirs[at-1], at
	}
	return nil
}

// maxSkippedMessages is how many messages of the parent a branch may leave out between
// two that it copies: not all kinds are copied.
const maxSkippedMessages = 8

// sharedPrefix counts the messages at the beginning of a branch that are copies of its
// parent's (copied), and the messages of the parent up to the last one copied (at).
func (r *Reader) sharedPrefix(ctx context.Context, theirs, own []int64) (at, copied int, err error) {
	const page = 100
	var parent, child []model.Message
	next := 0 // of the parent's
	for k := range own {
		if k%page == 0 {
			if child, err = r.MessagesByID(ctx, own[k:min(k+page, len(own))]); err != nil {
				return 0, 0, err
			}
			if len(child) != min(page, len(own)-k) {
				return at, copied, nil // some were deleted since
			}
		}
		found := false
		for j := next; j < min(next+maxSkippedMessages, len(theirs)) && !found; j++ {
			for j >= len(parent) {
				more, err := r.MessagesByID(ctx, theirs[len(parent):min(len(parent)+page, len(theirs))])
				if err != nil || len(more) == 0 {
					return at, copied, err
				}
				parent = append(parent, more...)
			}
			if found = sameMessage(parent[j], child[k%page]); found {
				next, at, copied = j+1, j+1, k+1
			}
		}
		if !found {
			break
		}
	}
	return at, copied, nil
}

// sameMessage reports whether one message is a copy of another.
func sameMessage(a, b model.Message) bool {
	return a.Role == b.Role && a.Content.Text == b.Content.Text && a.ToolCallID == b.ToolCallID &&
		slices.Equal(a.Content.Media, b.Content.Media) && slices.Equal(a.Calls, b.Calls)
}

// messagesBefore counts the messages of a parent that were written before its child
// began.
func (r *Reader) messagesBefore(ctx context.Context, parent string, theirs []int64, child *model.Session) (int, error) {
	if child.StartedAt.IsZero() {
		return 0, nil
	}
	const slack = 0.001 // seconds; both times are rounded
	last, err := db.QueryValue(ctx, r.db.Pool, `SELECT max(id) FROM messages WHERE session_id = ? AND timestamp <= ?`, parent, db.Seconds(child.StartedAt)+slack)
	if err != nil && !db.IsCorrupt(err) {
		return 0, r.db.WrapError("read "+parent+" of", err)
	}
	at, exact := slices.BinarySearch(theirs, db.AsInt(last))
	if exact {
		at++
	}
	return at, nil
}

// delegatingMessage moves a position to the call that started a delegate: back, where
// other tools have answered in between, or ahead, where the parent wrote its whole turn
// at the end of it.
func (r *Reader) delegatingMessage(ctx context.Context, theirs []int64, at int) (int, error) {
	const back, ahead = 16, 64
	from := max(0, at-back)
	near, err := r.MessagesByID(ctx, theirs[from:min(at+ahead, len(theirs))])
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
		if near[k].Author() != model.AuthorTool {
			break
		}
	}
	prompts := 0
	for k := at - from; k < len(near) && prompts < 2; k++ {
		if delegates(near[k]) {
			return from + k + 1, nil
		}
		if near[k].Author() == model.AuthorUser {
			prompts++
		}
	}
	return at, nil
}
