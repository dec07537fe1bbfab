package search

import (
	"sync/atomic"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/closest"
	"hermes-sessions/store/search/failures"
	"hermes-sessions/store/search/filecalls"
	"hermes-sessions/store/search/scriptborders"
	"hermes-sessions/store/search/textfacts"
	"hermes-sessions/store/search/unindexed"
)

// Engine answers queries over one database. Its methods may be called from
// several goroutines at once. It caches what earlier searches and [Engine.Prepare]
// have read, each cache with the version of the file that it was read at. An answer
// depends on none of them but package unindexed, which says for which words.
type Engine struct {
	db       *db.DB
	sessions *snapshot.Sessions

	indexes      ftsIndexes          // readers of the full-text tables
	hiddenIDs    hiddenIDs           // messages that no search finds
	summaryIDs   summaryIDs          // messages that are summaries of compressed context
	indexGaps    indexGaps           // how many messages a full-text table lacks
	textFacts    textfacts.Cache     // what the trigram index does not store of messages
	borders      scriptborders.Cache // words beside scripts without spaces
	unindexed    unindexed.Cache     // what the indexes of today's files lack
	lastRead     lastRead            // in messages that the word index does not hold whole
	closeWords   closest.Cache       // the words of the last queries, with the messages that have them
	scorePool    scorePool           // buffers of the last search
	prepareLock  chan struct{}       // held by Prepare
	sessionRoles sessionroles.Cache  // roles, tools and failed calls of sessions, for filters
	fileCalls    filecalls.Cache     // which files messages work on
	fileSessions fileSessions        // the sessions of the last filters file:
	failures     failures.Cache      // which results of tools failed
	partVersion  atomic.Int64        // DataVersion of the last search by a part of the sessions

	missedChecked atomic.Bool // by checkMissed, and none was lost
	textsFound    atomic.Bool // by findsTexts; a look-up for every change of the file would slow down the next key

	// ReadFailuresUpTo is the number of messages up to which reading all of them takes less
	// time than FailedResults; tests change it.
	ReadFailuresUpTo int

	deferRolesFrom int // the constant of this name; tests lower it
}

// New returns the engine of a database and its sessions. Nothing is read yet.
func New(d *db.DB, s *snapshot.Sessions) *Engine {
	return &Engine{
		db: d, sessions: s, indexes: newFTSIndexes(), prepareLock: make(chan struct{}, 1),
		ReadFailuresUpTo: 20_000, deferRolesFrom: deferRolesFrom,
	}
}
