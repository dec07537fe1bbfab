package snapshot

import (
	"context"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
)

// RoleSetsCache caches the roles of messages. The role of a stored message does not
// change, and no index has it: it is read once, when a search finds the message or by
// Prepare before that.
type RoleSetsCache struct {
	mu     sync.Mutex
	sets   *RoleSets
	shared bool // sets was returned to a reader: it is copied before it changes
}

// RoleSets is the ids of messages by role and form.
type RoleSets struct {
	ReadIDs     idset.Set // all messages that were read, without their texts
	FromTools   idset.Set // results of tools
	WithCalls   idset.Set // messages that call tools
	NotShown    idset.Set // of the role session_meta, which no transcript shows
	FromUser    idset.Set // prompts of the user
	OtherRoles  idset.Set // messages of none of these roles, nor of the agent
	TextsRead   idset.Set // messages whose texts were read for EscapedText: that costs as much again
	EscapedText idset.Set // messages with images: their text is JSON behind a NUL
}

// eachSet returns the sets, ReadIDs first.
func (s *RoleSets) eachSet() [8]*idset.Set {
	return [...]*idset.Set{&s.ReadIDs, &s.FromTools, &s.WithCalls, &s.NotShown, &s.FromUser, &s.OtherRoles, &s.EscapedText, &s.TextsRead}
}

// WithRoles returns those of some messages, all of which were read, whose role passes. It
// leaves out those of OtherRoles.
func (s *RoleSets) WithRoles(ids *idset.Set, passes func(role string) bool) *idset.Set {
	found, rest := &idset.Set{}, idset.Difference(ids, &s.OtherRoles)
	for role, said := range map[string]*idset.Set{"user": &s.FromUser, "tool": &s.FromTools, "session_meta": &s.NotShown} {
		if passes(role) {
			found.Union(idset.Intersection(ids, said))
		}
		rest.Subtract(said)
	}
	if passes("assistant") {
		found.Union(rest)
	}
	return found
}

// ofRole returns the set of a letter of [Sessions.ReadRoleSets], nil for the agent.
func (s *RoleSets) ofRole(letter byte) *idset.Set {
	switch letter {
	case 't':
		return &s.FromTools
	case 'u':
		return &s.FromUser
	case 'm':
		return &s.NotShown
	case 'o':
		return &s.OtherRoles
	}
	return nil
}

// Union adds the ids of other sets.
func (s *RoleSets) Union(more *RoleSets) {
	for i, set := range more.eachSet() {
		s.eachSet()[i].Union(set)
	}
}

func (s *RoleSets) clone() *RoleSets {
	c := &RoleSets{}
	c.Union(s)
	return c
}

// Read returns the cached sets. They are never changed.
func (r *RoleSetsCache) Read() *RoleSets {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sets == nil {
		r.sets = &RoleSets{}
	}
	r.shared = true
	return r.sets
}

// Update calls f with sets that it may change.
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

// NotRead returns the messages whose roles are not cached.
func (r *RoleSetsCache) NotRead(m *MessageSessions) *idset.Set {
	return idset.Difference(m.AllIDs(), &r.Read().ReadIDs)
}

// dropDeleted removes the messages that a new map does not have: another message may get
// their id.
func (r *RoleSetsCache) dropDeleted(m *MessageSessions) {
	r.Update(func(s *RoleSets) {
		for _, set := range s.eachSet() {
			set.Intersect(m.AllIDs())
		}
	})
}

// IsDense reports whether ids are so close together that reading the whole range of the
// table costs less than looking up each of them.
func IsDense(ids *idset.Set) bool {
	last, _ := ids.Before(idset.MaxRowid + 1)
	for first := range ids.All() {
		return int64(ids.Len())*8 > max(last-first, RoleReadBatch)
	}
	return false
}

// RoleReadBatch is how many ids one statement covers; ctx is checked between two.
const RoleReadBatch = 10_000

// ReadRoleSets reads the roles of messages, and of those between them, by ranges of the
// table, the newest first; with texts, also which texts are escaped. It adds them to the cache,
// and to into unless that is nil.
func (s *Sessions) ReadRoleSets(ctx context.Context, q db.Querier, ids *idset.Set, texts bool, into *RoleSets) error {
	// A letter for each role, and a digit for what else: one text for all rows takes half of the
	// time of a list for each role.
	kinds := `SELECT group_concat(id), group_concat(CASE role WHEN 'tool' THEN 't' WHEN 'user' THEN 'u' WHEN 'assistant' THEN 'a' WHEN 'session_meta' THEN 'm' ELSE 'o' END, ''),
		group_concat(` + s.db.Schema.ToolCallsOf("messages") + `, '')`
	if texts {
		kinds += `, group_concat(coalesce(content < char(1), 0), '')`
	}
	to, ok := ids.Before(idset.MaxRowid + 1)
	for ; ok; to, ok = ids.Before(to - RoleReadBatch + 1) {
		err := db.EachRow(ctx, q, kinds+` FROM messages WHERE id > ? AND id <= ?`, []any{to - RoleReadBatch, to}, func(r db.Row) {
			var read RoleSets
			roles, calls, escaped, n := r.Text(1), r.Text(2), "", 0
			if texts {
				escaped = r.Text(3)
			}
			for id := range ParseIDList([]byte(r.Text(0))) {
				read.ReadIDs.Add(id)
				if said := read.ofRole(roles[n]); said != nil {
					said.Add(id)
				}
				if calls[n] == '1' {
					read.WithCalls.Add(id)
				}
				if texts && escaped[n] == '1' {
					read.EscapedText.Add(id)
				}
				n++
			}
			if n != len(roles) { // ids that are no integers
				return
			}
			if texts {
				read.TextsRead.Union(&read.ReadIDs)
			}
			s.RoleSets.Update(func(all *RoleSets) { all.Union(&read) })
			if into != nil {
				into.Union(&read)
			}
		})
		if err != nil && !db.IsCorrupt(err) { // messages near a damaged page are looked up one by one
			return err
		}
	}
	return nil
}
