package upkeep

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search"
)

// Upkeep checks, migrates and compacts a database.
type Upkeep struct {
	db       *db.DB
	sessions *snapshot.Sessions
	search   *search.Engine
	NoBackup bool // a migration makes no copy first
}

// New gives that of a database.
func New(d *db.DB, s *snapshot.Sessions, e *search.Engine) *Upkeep {
	return &Upkeep{db: d, sessions: s, search: e}
}
