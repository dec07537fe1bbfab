// Package transcript reads conversations message by message: the outline of one of any
// length, windows of messages by id, its last messages, and the place where a session
// left its parent.
//
//	outline.go   ids of all visible messages, segment by segment
//	replays.go   copies that compression made of the segment before
//	messages.go  messages by id, around a message, from the end
//	files.go     the files that tool calls worked on
//	fork.go      where a branch or a delegate left its parent
//
// An outline holds ids only, so that a conversation of 100,000 messages opens at once;
// the screen reads the messages that it shows. Around damaged pages both answer with
// what can be read (package salvage).
package transcript

import (
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Reader reads the conversations of one database.
type Reader struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New returns the reader of a database. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions) *Reader {
	return &Reader{db: d, sessions: s}
}
