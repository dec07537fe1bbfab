package transcript

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Reader reads conversations message by message.
type Reader struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New gives that of a database.
func New(d *db.DB, s *snapshot.Sessions) *Reader {
	return &Reader{db: d, sessions: s}
}
