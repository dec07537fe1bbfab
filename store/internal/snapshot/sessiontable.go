package snapshot

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// SessionTable holds sessions in little memory and with few pointers for the garbage
// collector to follow: a [model.Session] is large and full of pointers, and there are
// tens of thousands. Here each is a row of numbers, and the texts of all are in one
// string. It is a [model.SessionSource].
type SessionTable struct {
	rows  []sessionRow
	texts string
	byID  []int32 // positions, in the order of the ids
	tableChanges
}

// sessionRow is a session. Its texts are references into the text of all.
type sessionRow struct {
	id, source, title, model, parent, reason           textRef
	cwd, branch, profile                               textRef
	branchedFrom, delegateFrom, resetFrom, sessionKey  textRef
	countsRef                                          textRef // numbers that are never read of all sessions
	visible                                            int32
	started, ended, lastMessage, active                int64 // seconds
	startedNs, endedNs, lastMessageNs, activeNs        int32 // their nanoseconds
	usd                                                float64
	archived, pinned, hidden, costKnown, costEstimated bool
}

// textRef is the offset of a text, with its length before it; 0 is for no text.
type textRef uint32

// tableChanges are the sessions that now differ from the rows of a table.
type tableChanges struct {
	sessions map[int32]model.Session // by position; those behind the rows were added later
	added    map[string]int32        // positions of these
	removed  map[int32]bool
}

// updated gives a table with the present state of some sessions and without those that
// were removed, and the positions that changed. A session that is added again gets its
// old position.
func (r *SessionTable) updated(now []model.Session, gone []string) (with *SessionTable, changed []int32) {
	w := *r
	w.sessions, w.added, w.removed = map[int32]model.Session{}, map[string]int32{}, map[int32]bool{}
	maps.Copy(w.sessions, r.sessions)
	maps.Copy(w.added, r.added)
	maps.Copy(w.removed, r.removed)
	for _, id := range gone {
		if i, ok := w.positionOrRemoved(id); ok {
			w.removed[i] = true
			changed = append(changed, i)
		}
	}
	for _, m := range now {
		i, ok := w.positionOrRemoved(m.ID)
		if !ok {
			i = int32(w.Len())
			w.added[m.ID] = i
		}
		delete(w.removed, i)
		w.sessions[i] = m
		changed = append(changed, i)
	}
	return &w, changed
}

// Len gives how many sessions there are.
func (r *SessionTable) Len() int { return len(r.rows) + len(r.added) }

// Session makes a session.
func (r *SessionTable) Session(i int) model.Session {
	if len(r.sessions) > 0 {
		if m, ok := r.sessions[int32(i)]; ok {
			return m
		}
	}
	e := &r.rows[i]
	var n [8]int64
	at := e.countsRef
	for k := range n {
		var u uint64
		u, at = r.uvarintAt(at)
		n[k] = int64(u>>1) ^ -int64(u&1) // as binary.AppendVarint has it
	}
	return model.Session{
		ID: r.textAt(e.id), Source: r.textAt(e.source), Title: r.textAt(e.title), Model: r.textAt(e.model),
		ParentID: r.textAt(e.parent), EndReason: r.textAt(e.reason),
		StartedAt: timeOf(e.started, e.startedNs), EndedAt: timeOf(e.ended, e.endedNs),
		MessageCount: int(n[0]), ToolCalls: int(n[1]),
		Usage: model.Usage{
			Input: n[2], Output: n[3], CacheRead: n[4], CacheWrite: n[5], Reasoning: n[6], APICalls: n[7],
			Cost: model.Cost{USD: e.usd, Known: e.costKnown, Estimated: e.costEstimated},
		},
		CWD: r.textAt(e.cwd), GitBranch: r.textAt(e.branch), Profile: r.textAt(e.profile),
		Archived: e.archived, Pinned: e.pinned, Hidden: e.hidden,
		BranchedFrom: r.textAt(e.branchedFrom), DelegateFrom: r.textAt(e.delegateFrom), ResetFrom: r.textAt(e.resetFrom), SessionKey: r.textAt(e.sessionKey),
		LastMessageAt: timeOf(e.lastMessage, e.lastMessageNs), VisibleMessages: int(e.visible), LastActivityAt: timeOf(e.active, e.activeNs),
	}
}

// All iterates over the sessions by position.
func (r *SessionTable) All() iter.Seq2[int, model.Session] {
	return func(yield func(int, model.Session) bool) {
		for i := range r.live() {
			if !yield(i, r.Session(i)) {
				return
			}
		}
	}
}

// ID gives the id of a session.
func (r *SessionTable) ID(i int) string {
	if i >= len(r.rows) {
		return r.sessions[int32(i)].ID
	}
	return r.textAt(r.rows[i].id)
}

// title gives the title of a session.
func (r *SessionTable) title(i int) string {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.Title
	}
	return r.textAt(r.rows[i].title)
}

// live gives the positions of all sessions that were not removed.
func (r *SessionTable) live() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range r.Len() {
			if !r.removed[int32(i)] && !yield(i) {
				return
			}
		}
	}
}

// ids gives the ids of all sessions that are there.
func (r *SessionTable) ids() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.live() {
			if !yield(r.ID(i)) {
				return
			}
		}
	}
}

// titles gives the titles of those that have one.
func (r *SessionTable) titles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.live() {
			if title := r.title(i); title != "" && !yield(title) {
				return
			}
		}
	}
}

// idsDistinct reports whether no two sessions have the same id.
func (r *SessionTable) idsDistinct() bool {
	for n, i := range r.byID {
		if id := r.ID(int(i)); id == "" || n > 0 && id == r.ID(int(r.byID[n-1])) {
			return false
		}
	}
	return true
}

// Position gives the position of the session with an id.
func (r *SessionTable) Position(id string) (int, bool) {
	i, ok := r.positionOrRemoved(id)
	return int(i), ok && !r.removed[i]
}

// positionOrRemoved is Position for a session that may have been removed.
func (r *SessionTable) positionOrRemoved(id string) (int32, bool) {
	n, ok := slices.BinarySearchFunc(r.byID, id, func(i int32, id string) int { return strings.Compare(r.ID(int(i)), id) })
	if ok {
		return r.byID[n], true
	}
	i, ok := r.added[id]
	return i, ok
}

// messageStats gives how many messages of a session are visible, and when the last of
// all was written.
func (r *SessionTable) messageStats(i int) (visible int, last time.Time) {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.VisibleMessages, m.LastMessageAt
	}
	e := &r.rows[i]
	return int(e.visible), timeOf(e.lastMessage, e.lastMessageNs)
}

// messageCount gives the number of messages that the writer of a session has counted.
func (r *SessionTable) messageCount(i int) int {
	if m, ok := r.sessions[int32(i)]; ok {
		return m.MessageCount
	}
	u, _ := r.uvarintAt(r.rows[i].countsRef)
	return int(int64(u>>1) ^ -int64(u&1)) // as binary.AppendVarint has it
}

// setMessageStats says how many messages of a session are visible, and when the last of
// all was written. It is called only while a table is made.
func (r *SessionTable) setMessageStats(i, visible int, last time.Time) {
	if m, ok := r.sessions[int32(i)]; ok {
		m.VisibleMessages, m.LastMessageAt = visible, last
		r.sessions[int32(i)] = m
		return
	}
	e := &r.rows[i]
	e.visible = int32(visible)
	e.lastMessage, e.lastMessageNs = last.Unix(), int32(last.Nanosecond())
}

// textAt gives a text.
func (r *SessionTable) textAt(p textRef) string {
	if p == 0 {
		return ""
	}
	n, from := r.uvarintAt(p)
	return r.texts[from : uint64(from)+n]
}

// uvarintAt reads a number as binary.AppendUvarint writes it, and where it ends.
func (r *SessionTable) uvarintAt(p textRef) (n uint64, end textRef) {
	for shift := 0; ; shift += 7 {
		b := r.texts[p]
		p++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, p
		}
	}
}

// timeOf unpacks a time.
func timeOf(seconds int64, nanos int32) time.Time {
	if seconds == (time.Time{}).Unix() && nanos == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos))
}
