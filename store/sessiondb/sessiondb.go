// Package sessiondb has the documented calls of Hermes's SessionDB, so that a
// program that knows these finds them under the same names, and their answers
// column by column: rows are [db.Record], every column of the table in its order,
// then what was computed.
//
// An embedding program opens a file with store.Open and calls them on the
// store.Store, which embeds a [DB]. They differ from the original where that
// loses or invents data; store/README.md#known-faults lists each difference.
//
// A change of an unknown session is an error of [model.KindNotFound], where the original
// says nothing or makes the session up. What reads gives nothing for one, unless a call
// says otherwise.
//
//	lifecycle.go  create, end, reopen a session; system prompt; state_meta
//	sessions.go   rows of sessions, the documented lists, counts
//	messages.go   rows of messages, windows around one
//	chat.go       a transcript in the form that chat models take
//	append.go     append, replace and clear messages
//	titles.go     titles
//	usage.go      tokens and costs by session and by model; statistics
package sessiondb

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/edits"
	"hermes-sessions/store/internal/snapshot"
)

// DB has the calls of Hermes's SessionDB on one open database. Its methods may be
// called from several goroutines at once.
type DB struct {
	db       *db.DB
	sessions *snapshot.Sessions
	edits    *edits.Editor
}

// New returns the calls on a database. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions, e *edits.Editor) *DB {
	return &DB{db: d, sessions: s, edits: e}
}
