package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/store/internal/transcriptfiles"
)

// Outline returns the skeleton of the conversation that session id belongs to:
// the ids of all visible messages, segment by segment, in the order in which
// they were written (by id, as clocks step back), without the copies that
// compression made. [Store.MessagesByID] reads the messages.
func (s *Store) Outline(ctx context.Context, id string) (model.Outline, error) {
	o, err := s.transcripts.Outline(ctx, id)
	return inFiles(ctx, s, id, o, err, func(f *transcriptfiles.Conversation) (model.Outline, error) { return f.Outline(), nil })
}

// MessagesByID reads messages in the order of ids and leaves out those that no
// longer exist. It gives hidden, rewound and archived messages too: a
// caller that has an id means that message.
func (s *Store) MessagesByID(ctx context.Context, ids []int64) ([]model.Message, error) {
	return s.transcripts.MessagesByID(ctx, ids)
}

// MessagesNear reads visible messages of one segment of the conversation that
// session id belongs to, up to n around message at, or the last n when at is
// 0; oldest first. They are what an outline has there, in a fifth of its time.
// It gives none where only the outline is certain: near the beginning of a
// segment, which may repeat the one before it.
func (s *Store) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	near, err := s.transcripts.MessagesNear(ctx, id, at, n)
	return inFiles(ctx, s, id, near, err, func(f *transcriptfiles.Conversation) ([]model.Message, error) { return f.Near(at, n), nil })
}

// Tail reads the last n visible messages of the conversation that session id
// belongs to, oldest first. It is much faster than the outline of a long one.
func (s *Store) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	tail, err := s.transcripts.Tail(ctx, id, n)
	return inFiles(ctx, s, id, tail, err, func(f *transcriptfiles.Conversation) ([]model.Message, error) { return f.Tail(n), nil })
}

// Files returns the files that the conversation of session id has read, written or edited,
// by the arguments of the tool calls that its transcript shows: those that were changed
// first, each by its path. Failed calls count apart. What the commands of a shell do to
// files is not known, nor are the files of a conversation that stands in a file itself.
func (s *Store) Files(ctx context.Context, id string) ([]files.File, error) {
	all, err := s.transcripts.Files(ctx, id)
	return inFiles(ctx, s, id, all, err, func(*transcriptfiles.Conversation) ([]files.File, error) { return nil, nil })
}
