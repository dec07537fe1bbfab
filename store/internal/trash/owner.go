package trash

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// Bin deletes sessions, restores them, and finds what can go.
type Bin struct {
	db       *db.DB
	sessions *snapshot.Sessions
	transfer *transfer.Transfer
}

// New gives that of a database.
func New(d *db.DB, s *snapshot.Sessions, x *transfer.Transfer) *Bin {
	return &Bin{db: d, sessions: s, transfer: x}
}
