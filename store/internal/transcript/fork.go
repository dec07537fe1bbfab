package transcript

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Fork finds the place where a session left its parent; see store.Store.Fork for the
// contract.
func (r *Reader) Fork(ctx context.Context, id string) (model.Fork, error) {
	found, err := r.Forks(ctx, []string{id})
	return found[id], err
}

// forksAtOnce is how many sessions are read with one statement.
const forksAtOnce = 100

// Forks is Fork for many sessions of one family: what several have in common is read once.
func (r *Reader) Forks(ctx context.Context, ids []string) (map[string]model.Fork, error) {
	found := make(map[string]model.Fork, len(ids))
	parents := map[string]*parentSession{}
	for chunk := range slices.Chunk(ids, forksAtOnce) {
		if err := r.addForks(ctx, chunk, parents, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// parentSession is a session that others left.
type parentSession struct {
	conversation []string // its segments
	messages     int      // of the conversation
	earlier      int      // of these in the segments before the session
	ids          []int64  // of its own messages
	read         messagePages
}

// child is a session with its parent.
type child struct {
	session model.Session
	link    model.Link
	parent  string // "" for none
}

// children returns sessions with their parents, and adds the parents that are new to those that
// are known. fresh are the ids of these; their messages are still to be counted.
func (r *Reader) children(ctx context.Context, ids []string, parents map[string]*parentSession) (children []child, fresh []string, err error) {
	var snap *snapshot.Snapshot
	for _, id := range ids {
		i, ok := 0, false
		if snap != nil {
			i, ok = snap.Position(id)
		}
		if !ok {
			if snap, i, err = r.sessions.PositionOf(ctx, id); err != nil {
				return nil, nil, err
			}
		}
		c := child{session: snap.Session(i), link: snap.Lineage.Link[i]}
		if p := int(snap.Lineage.Parent[i]); p >= 0 {
			c.parent = snap.ID(p)
			if parents[c.parent] == nil {
				parents[c.parent] = &parentSession{conversation: snap.ConversationAt(p).Segments}
				fresh = append(fresh, c.parent)
			}
		}
		children = append(children, c)
	}
	return children, fresh, nil
}

// addForks adds the forks of some sessions. parents are those that are known.
func (r *Reader) addForks(ctx context.Context, ids []string, parents map[string]*parentSession, found map[string]model.Fork) error {
	children, fresh, err := r.children(ctx, ids, parents)
	if err != nil {
		return err
	}
	needed := slices.Clone(ids) // sessions whose messages are needed
	for _, id := range fresh {
		needed = append(needed, parents[id].conversation...)
	}
	messages, err := r.messageIDsOf(ctx, needed)
	if err != nil {
		return err
	}
	for _, id := range fresh {
		parents[id].count(id, messages)
	}
	return r.db.ReadTx(ctx, func(q db.Querier) error { // in which statements are prepared once
		q = r.db.CachedStatements(q)
		var heads []int64 // the messages that a comparison begins with
		for k, id := range ids {
			if c := children[k]; c.link == model.LinkBranch && c.parent != "" && len(parents[c.parent].ids) > 0 {
				heads = append(heads, messages[id][:min(headLength, len(messages[id]))]...)
			}
		}
		read, err := r.messagesByID(ctx, q, heads)
		if err != nil {
			return err
		}
		for k, id := range ids {
			own := messagePages{ids: messages[id]}
			for len(read) > 0 && read[0].SessionID == id {
				own.read, read = append(own.read, read[0]), read[1:]
			}
			f, c := model.Fork{Parent: children[k].parent}, children[k]
			if p := parents[c.parent]; p != nil {
				f.ParentMessages = p.messages
				if err := r.forkPoint(ctx, q, &f, c.session, c.link, p, own); err != nil {
					return err
				}
				if f.Position > 0 {
					f.Position += p.earlier
				}
			}
			if f.CopiedMessages < len(own.ids) {
				f.FirstOwn = own.ids[f.CopiedMessages]
			}
			found[id] = f
		}
		return nil
	})
}

// headLength is how many messages of each branch are read with those of other branches. Most
// branches have copied fewer, or say something else at once.
const headLength = 8

// count fills in the messages of a session and of its conversation.
func (p *parentSession) count(id string, messages map[string][]int64) {
	for _, segment := range p.conversation {
		if segment == id {
			p.earlier, p.ids = p.messages, messages[segment]
			p.read = messagePages{ids: p.ids}
		}
		p.messages += len(messages[segment])
	}
}

// messagePages is the messages of a session, of which the first ones are read.
type messagePages struct {
	ids  []int64
	read []model.Message
}

// at returns a message by its position, and reads it if necessary. ok is false where it was
// deleted after the ids were read.
func (p *messagePages) at(ctx context.Context, r *Reader, q db.Querier, i int) (m model.Message, ok bool, err error) {
	const page = 100
	for i >= len(p.read) {
		want := p.ids[len(p.read):min(len(p.read)+page, len(p.ids))]
		more, err := r.messagesByID(ctx, q, want)
		if err != nil || len(more) != len(want) {
			return m, false, err
		}
		p.read = append(p.read, more...)
	}
	return p.read[i], p.read[i].ID == p.ids[i], nil
}

// messageIDsOf returns the ids of the visible messages of each session.
func (r *Reader) messageIDsOf(ctx context.Context, sessions []string) (map[string][]int64, error) {
	ids := make(map[string][]int64, len(sessions))
	err := r.db.ReadTx(ctx, func(q db.Querier) error {
		for some := range slices.Chunk(sessions, 2*forksAtOnce) {
			err := db.EachRow(ctx, q, `SELECT m.session_id, group_concat(m.id) FROM messages m
				WHERE m.session_id IN (`+db.Placeholders(len(some))+`) AND `+r.db.Schema.VisibleRows("m")+` GROUP BY m.session_id`,
				db.BindArgs(some), func(row db.Row) { ids[row.Text(0)] = sortedIDs(row[1]) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if !db.IsCorrupt(err) {
		return ids, r.db.WrapError("read "+sessions[0]+" of", err)
	}
	r.db.AddNote(model.NoteDamaged)
	salvaged, err := r.sessions.Salvage.BySession(ctx)
	for _, session := range sessions {
		if rest := salvaged[session]; rest != nil {
			ids[session] = rest.IDs
		}
	}
	return ids, err
}

// forkPoint fills in where a session left its parent; Position is counted in the parent
// alone.
func (r *Reader) forkPoint(ctx context.Context, q db.Querier, f *model.Fork, child model.Session, link model.Link, parent *parentSession, own messagePages) (err error) {
	theirs := parent.ids
	if len(theirs) == 0 {
		return nil
	}
	at := len(theirs) // messages of the parent up to the fork
	if link == model.LinkBranch {
		if at, f.CopiedMessages, err = r.sharedPrefix(ctx, q, &parent.read, &own); err != nil {
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
func (r *Reader) sharedPrefix(ctx context.Context, q db.Querier, theirs, own *messagePages) (at, copied int, err error) {
	for k := range own.ids {
		m, ok, err := own.at(ctx, r, q, k)
		if err != nil || !ok {
			return at, copied, err
		}
		found := false
		for j := at; j < min(at+maxSkippedMessages, len(theirs.ids)) && !found; j++ {
			of, ok, err := theirs.at(ctx, r, q, j)
			if err != nil || !ok {
				return at, copied, err
			}
			if found = sameMessage(of, m); found {
				at, copied = j+1, k+1
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
