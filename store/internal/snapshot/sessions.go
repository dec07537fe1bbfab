package snapshot

import "hermes-sessions/store/internal/db"

// Sessions is all sessions of a database in memory, and what is made of them:
// lists of conversations, lineages, names. Its methods may be called from several
// goroutines at once.
type Sessions struct {
	db           *db.DB
	cache        snapshotCache
	RoleSets     RoleSetsCache
	RoleIDs      roleIDs
	sessionRoles sessionRolesCache
}

// New gives the sessions of a database. They are read when they are first asked
// for.
func New(d *db.DB) *Sessions {
	s := &Sessions{db: d}
	s.cache.readLock, s.cache.previews = make(chan struct{}, 1), map[previewKey]preview{}
	return s
}
