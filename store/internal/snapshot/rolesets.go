package snapshot

import (
	"context"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// RoleSetsCache remembers who said which message, and how. That never changes of one
// that is there, and stands behind no index: it is read once, when a search
// finds the message or, better, before.
type RoleSetsCache struct {
	mu     sync.Mutex
	sets   *RoleSets
	shared bool // somebody reads it: it is copied before it changes
}

// RoleSets is what was read of messages.
type RoleSets struct {
	ReadIDs     fts.Set // all of them
	FromTools   fts.Set // a tool said these
	WithCalls   fts.Set // these call tools
	NotShown    fts.Set // these stand in no transcript
	EscapedText fts.Set // these are JSON behind a NUL: they have images
}

// eachSet gives what it has.
func (h *RoleSets) eachSet() [5]*fts.Set {
	return [...]*fts.Set{&h.ReadIDs, &h.FromTools, &h.WithCalls, &h.NotShown, &h.EscapedText}
}

// Union takes in what else was read.
func (h *RoleSets) Union(more *RoleSets) {
	for i, set := range more.eachSet() {
		h.eachSet()[i].Union(set)
	}
}

func (h *RoleSets) clone() *RoleSets {
	c := &RoleSets{}
	c.Union(h)
	return c
}

// Read gives what is known, for reading: it stays as it is.
func (r *RoleSetsCache) Read() *RoleSets {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sets == nil {
		r.sets = &RoleSets{}
	}
	r.shared = true
	return r.sets
}

// Update lets what is known be changed.
func (r *RoleSetsCache) Update(f func(*RoleSets)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.sets == nil:
		r.sets = &RoleSets{}
	case r.shared:
		r.sets, r.shared = r.sets.clone(), false
	}
	f(r.sets)
}

// NotRead gives the messages of which it is not known.
func (r *RoleSetsCache) NotRead(o *MessageSessions) *fts.Set {
	return fts.Difference(o.AllIDs(), &r.Read().ReadIDs)
}

// dropDeleted drops what is known of other messages than these.
func (r *RoleSetsCache) dropDeleted(o *MessageSessions) {
	r.Update(func(h *RoleSets) {
		for _, set := range h.eachSet() {
			set.Intersect(o.AllIDs())
		}
	})
}

// IsDense reports whether messages are so many of a stretch of the table that to
// read all of it costs less than to look each of them up.
func IsDense(ids *fts.Set) bool {
	last, _ := ids.Before(fts.MaxRowid + 1)
	for first := range ids.All() {
		return int64(ids.Len())*8 > max(last-first, RoleReadBatch)
	}
	return false
}

// RoleReadBatch is how many messages are read between two looks at ctx.
const RoleReadBatch = 10_000

// ReadRoleSets reads the stretches of the table in which messages lie, the newest
// first, and remembers what it reads, with their roles. into gets it too, unless
// it is nil.
func (s *Sessions) ReadRoleSets(ctx context.Context, q db.Querier, ids *fts.Set, into *RoleSets) error {
	to, ok := ids.Before(fts.MaxRowid + 1)
	for ; ok; to, ok = ids.Before(to - RoleReadBatch + 1) {
		rows, err := q.QueryContext(ctx, `SELECT group_concat(id), group_concat(id) FILTER (WHERE role = 'tool'),
			group_concat(id) FILTER (WHERE `+s.db.Schema.ToolCallsOf("messages")+`),
			group_concat(id) FILTER (WHERE role = 'session_meta'), group_concat(id) FILTER (WHERE content < char(1)),
			group_concat(id) FILTER (WHERE role = 'user'),
			group_concat(id) FILTER (WHERE coalesce(role, '') NOT IN ('user', 'assistant', 'tool', 'session_meta'))
			FROM messages WHERE id > ? AND id <= ?`, to-RoleReadBatch, to)
		if err != nil {
			return err
		}
		err = db.ScanRecords(rows, func(r db.Record) error {
			var h RoleSets
			var users, others fts.Set
			all := h.eachSet()
			for i, set := range append(all[:], &users, &others) {
				for id := range ParseIDList([]byte(db.AsText(r[i].Value))) {
					set.Add(id)
				}
			}
			s.RoleSets.Update(func(all *RoleSets) { all.Union(&h) })
			agents := h.ReadIDs.Clone()
			for _, set := range []*fts.Set{&h.FromTools, &h.NotShown, &users, &others} {
				agents.Subtract(set)
			}
			s.RoleIDs.Add(map[string]*fts.Set{"tool": &h.FromTools, "session_meta": &h.NotShown, "user": &users, "assistant": agents})
			if into != nil {
				into.Union(&h)
			}
			return nil
		})
		if err != nil && !db.IsCorrupt(err) { // what is missing is looked up by itself
			return err
		}
	}
	return nil
}
