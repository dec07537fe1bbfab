package snapshot

import (
	"sync"

	"hermes-sessions/store/search/fts"
)

// roleIDs remembers in which role messages are said, as far as a search has
// asked. It never changes of one that is there.
type roleIDs struct {
	Mu      sync.Mutex
	ReadIDs fts.Set
	ByRole  map[string]*fts.Set
}

// maxRoles bounds the memory of a file with odd roles.
const maxRoles = 32

// CommonRoles are the roles that are read by the stretch.
var CommonRoles = [...]string{"user", "assistant", "tool", "system"}

// Add takes in what was read.
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

// dropDeleted drops what is known of other messages than these.
func (c *roleIDs) dropDeleted(o *MessageSessions) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.ReadIDs.Intersect(o.AllIDs())
	for _, said := range c.ByRole {
		said.Intersect(o.AllIDs())
	}
}
