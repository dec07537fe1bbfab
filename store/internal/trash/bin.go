package trash

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// Bin deletes and restores sessions of one database.
type Bin struct {
	db       *db.DB
	sessions *snapshot.Sessions
	transfer *transfer.Transfer
}

// New returns the bin of a database. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions, x *transfer.Transfer) *Bin {
	return &Bin{db: d, sessions: s, transfer: x}
}
