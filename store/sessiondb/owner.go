package sessiondb

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// DB has the calls of Hermes's SessionDB.
type DB struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New gives that of a database.
func New(d *db.DB, s *snapshot.Sessions) *DB {
	return &DB{db: d, sessions: s}
}
