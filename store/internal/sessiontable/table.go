// Package sessiontable holds sessions in memory, as rows of numbers with their texts in
// one string. A table is not changed once it was read: an updated one has the same rows,
// and beside them the sessions that differ now.
package sessiontable

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Table holds sessions in little memory and with few pointers for the garbage
// collector to follow: a [model.Session] is large and full of pointers, and there are
// tens of thousands. Here each is a row of numbers, and the texts of all are in one
// string. It is a [model.SessionSource].
type Table struct {
	rows  []row
	texts string
	byID  []int32 // positions, in the order of the ids
	tableChanges
}

// row is a session. Its texts are references into the text of all.
type row struct {
	id, source, title, model, parent, reason           textRef
	createdAs, cwd, gitRoot, branch, profile           textRef
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

// Updated returns a table with the present state of some sessions and without those that
// were removed, and the positions that changed. A session that is added again gets its
// old position.
func (t *Table) Updated(now []model.Session, gone []string) (updated *Table, changed []int32) {
	w := *t
	w.sessions = map[int32]model.Session{}
	w.added = map[string]int32{}
	w.removed = map[int32]bool{}
	maps.Copy(w.sessions, t.sessions)
	maps.Copy(w.added, t.added)
	maps.Copy(w.removed, t.removed)
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

// Len returns how many sessions there are.
func (t *Table) Len() int { return len(t.rows) + len(t.added) }

// Session makes a session.
func (t *Table) Session(i int) model.Session {
	if len(t.sessions) > 0 {
		if m, ok := t.sessions[int32(i)]; ok {
			return m
		}
	}
	e := &t.rows[i]
	var n [8]int64
	at := e.countsRef
	for k := range n {
		var u uint64
		u, at = t.uvarintAt(at)
		n[k] = int64(u>>1) ^ -int64(u&1) // as binary.AppendVarint encodes it
	}
	return model.Session{
		ID: t.textAt(e.id), Source: t.textAt(e.source), Title: t.textAt(e.title), Model: t.textAt(e.model),
		ParentID: t.textAt(e.parent), EndReason: t.textAt(e.reason),
		StartedAt: timeOf(e.started, e.startedNs), EndedAt: timeOf(e.ended, e.endedNs),
		MessageCount: int(n[0]), ToolCalls: int(n[1]),
		Usage: model.Usage{
			Input: n[2], Output: n[3], CacheRead: n[4], CacheWrite: n[5], Reasoning: n[6], APICalls: n[7],
			Cost: model.Cost{USD: e.usd, Known: e.costKnown, Estimated: e.costEstimated},
		},
		CreatedAs: t.textAt(e.createdAs), CWD: t.textAt(e.cwd), GitRoot: t.textAt(e.gitRoot),
		GitBranch: t.textAt(e.branch), Profile: t.textAt(e.profile),
		Archived: e.archived, Pinned: e.pinned, Hidden: e.hidden,
		BranchedFrom: t.textAt(e.branchedFrom), DelegateFrom: t.textAt(e.delegateFrom), ResetFrom: t.textAt(e.resetFrom), SessionKey: t.textAt(e.sessionKey),
		LastMessageAt: timeOf(e.lastMessage, e.lastMessageNs), VisibleMessages: int(e.visible), LastActivityAt: timeOf(e.active, e.activeNs),
	}
}

// All iterates over the sessions by position.
func (t *Table) All() iter.Seq2[int, model.Session] {
	return func(yield func(int, model.Session) bool) {
		for i := range t.Live() {
			if !yield(i, t.Session(i)) {
				return
			}
		}
	}
}

// ID returns the id of a session.
func (t *Table) ID(i int) string {
	if i >= len(t.rows) {
		return t.sessions[int32(i)].ID
	}
	return t.textAt(t.rows[i].id)
}

// Title returns the title of a session.
func (t *Table) Title(i int) string {
	if m, ok := t.sessions[int32(i)]; ok {
		return m.Title
	}
	return t.textAt(t.rows[i].title)
}

// Folder returns the folder of a session.
func (t *Table) Folder(i int) string {
	if m, ok := t.sessions[int32(i)]; ok {
		return m.CWD
	}
	return t.textAt(t.rows[i].cwd)
}

// Pinned reports whether a session is pinned.
func (t *Table) Pinned(i int) bool {
	if m, ok := t.sessions[int32(i)]; ok {
		return m.Pinned
	}
	return t.rows[i].pinned
}

// Live returns the positions of all sessions that were not removed.
func (t *Table) Live() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range t.Len() {
			if !t.removed[int32(i)] && !yield(i) {
				return
			}
		}
	}
}

// IDsDistinct reports whether no two sessions have the same id.
func (t *Table) IDsDistinct() bool {
	for n, i := range t.byID {
		if id := t.ID(int(i)); id == "" || n > 0 && id == t.ID(int(t.byID[n-1])) {
			return false
		}
	}
	return true
}

// Position returns the position of the session with an id.
func (t *Table) Position(id string) (int, bool) {
	i, ok := t.positionOrRemoved(id)
	return int(i), ok && !t.removed[i]
}

// positionOrRemoved is Position for a session that may have been removed.
func (t *Table) positionOrRemoved(id string) (int32, bool) {
	n, ok := slices.BinarySearchFunc(t.byID, id, func(i int32, id string) int { return strings.Compare(t.ID(int(i)), id) })
	if ok {
		return t.byID[n], true
	}
	i, ok := t.added[id]
	return i, ok
}

// ChangedCount returns how many sessions differ from the rows that were read.
func (t *Table) ChangedCount() int { return len(t.sessions) }

// MessageStats returns how many messages of a session are visible, and when the last of
// all was written.
func (t *Table) MessageStats(i int) (visible int, last time.Time) {
	if m, ok := t.sessions[int32(i)]; ok {
		return m.VisibleMessages, m.LastMessageAt
	}
	e := &t.rows[i]
	return int(e.visible), timeOf(e.lastMessage, e.lastMessageNs)
}

// MessageCount returns the number of messages that the writer of a session has counted.
func (t *Table) MessageCount(i int) int {
	if m, ok := t.sessions[int32(i)]; ok {
		return m.MessageCount
	}
	u, _ := t.uvarintAt(t.rows[i].countsRef)
	return int(int64(u>>1) ^ -int64(u&1)) // as binary.AppendVarint encodes it
}

// SetMessageStats says how many messages of a session are visible, and when the last of
// all was written. It is called only while a table is made.
func (t *Table) SetMessageStats(i, visible int, last time.Time) {
	if m, ok := t.sessions[int32(i)]; ok {
		m.VisibleMessages, m.LastMessageAt = visible, last
		t.sessions[int32(i)] = m
		return
	}
	e := &t.rows[i]
	e.visible = int32(visible)
	e.lastMessage, e.lastMessageNs = last.Unix(), int32(last.Nanosecond())
}

func (t *Table) textAt(p textRef) string {
	if p == 0 {
		return ""
	}
	n, from := t.uvarintAt(p)
	return t.texts[from : uint64(from)+n]
}

// uvarintAt reads a number as binary.AppendUvarint writes it, and where it ends.
func (t *Table) uvarintAt(p textRef) (n uint64, end textRef) {
	for shift := 0; ; shift += 7 {
		b := t.texts[p]
		p++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, p
		}
	}
}

func timeOf(seconds int64, nanos int32) time.Time {
	if seconds == (time.Time{}).Unix() && nanos == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos))
}
