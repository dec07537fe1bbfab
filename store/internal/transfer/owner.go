package transfer

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Transfer moves sessions out of a database and into one.
type Transfer struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New gives that of a database.
func New(d *db.DB, s *snapshot.Sessions) *Transfer {
	return &Transfer{db: d, sessions: s}
}
