package search

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Engine answers queries over one database. Its methods may be called from
// several goroutines at once.
type Engine struct {
	db          *db.DB
	sessions    *snapshot.Sessions
	indexes     ftsIndexes
	hiddenIDs   hiddenIDs
	indexGaps   indexGaps
	textFacts   textFactsCache
	escapeGaps  escapeGaps
	scorePool   scorePool
	prepareLock chan struct{} // held by Prepare
}

// New gives the engine of a database and its sessions.
func New(d *db.DB, s *snapshot.Sessions) *Engine {
	return &Engine{db: d, sessions: s, indexes: newFTSIndexes(), prepareLock: make(chan struct{}, 1)}
}
