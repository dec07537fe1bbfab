package transfer

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Transfer exports, imports and restores sessions of one database.
type Transfer struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New returns the transfer of a database. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions) *Transfer {
	return &Transfer{db: d, sessions: s}
}
