package snapshot

import (
	"sync"

	"hermes-sessions/store/search/fts"
)

// roleIDs caches the ids of messages by role, as far as searches have read them. The
// role of a stored message does not change.
type roleIDs struct {
	Mu      sync.Mutex
	ReadIDs fts.Set
	ByRole  map[string]*fts.Set
}

// maxRoles bounds the memory of a file with odd roles.
const maxRoles = 32

// CommonRoles are the roles that are read by ranges of the table.
var CommonRoles = [...]string{"user", "assistant", "tool", "system"}

// Add adds the ids of messages by role.
func (c *roleIDs) Add(read map[string]*fts.Set) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.ByRole == nil || len(c.ByRole) > maxRoles {
		c.ReadIDs, c.ByRole = fts.Set{}, map[string]*fts.Set{}
	}
	for role, said := range read {
		if c.ByRole[role] == nil {
			c.ByRole[role] = &fts.Set{}
		}
		c.ByRole[role].Union(said)
		c.ReadIDs.Union(said)
	}
}

// dropDeleted removes the messages that the map does not have.
func (c *roleIDs) dropDeleted(o *MessageSessions) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.ReadIDs.Intersect(o.AllIDs())
	for _, said := range c.ByRole {
		said.Intersect(o.AllIDs())
	}
}
