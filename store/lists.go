package store

import (
	"context"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/transcriptfiles"
)

// Conversations returns a page of the list. Total and OutOfScope count
// everything that matches, not only the page, except in a page with
// TotalsSkipped.
//
// Totals are skipped only where the query allows it (FirstPage or RowsOnly) and
// the database is a large one that was not listed before. The count of messages
// of a session with some thousand of them is then the one that its writer
// stored. All else in a page with RowsOnly is exactly that of the whole list.
// With FirstPage other conversations may be on it where clocks were set back, or
// where the file stores the time of a session's last activity apart from its
// messages.
func (s *Store) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	return s.files.AddTo(ctx, q, func(q query.ListOptions) (model.ConversationPage, error) { return s.engine.Conversations(ctx, q) })
}

// NewestActivity returns when the n sessions that began last were active, the latest first.
// Programs that merge the lists of several databases find with them from when on each has
// rows on the first page: [query.ListOptions.ActiveSince]. It returns nil where that would
// save nothing.
func NewestActivity(ctx context.Context, s *Store, n int) ([]time.Time, error) {
	return s.sessions.NewestActivity(ctx, n)
}

// Conversation returns the conversation that a session belongs to. The error is
// of [model.KindNotFound] for an unknown session.
func (s *Store) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	c, err := s.sessions.Conversation(ctx, id)
	return inFiles(ctx, s, id, c, err, func(f *transcriptfiles.Conversation) (model.Conversation, error) { return f.Conversation(), nil })
}

// FieldValues returns the values that a filter can have in this database, each with its
// number of conversations, the most frequent first: of sources, models, folders, git
// branches, tools and roles. Other filters have no list of values. Tools and roles are
// read from the messages of all sessions, which takes a while the first time.
func (s *Store) FieldValues(ctx context.Context, field query.Field) ([]query.FieldValue, error) {
	return s.engine.FieldValues(ctx, field)
}
