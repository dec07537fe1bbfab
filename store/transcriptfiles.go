package store

import (
	"context"
	"errors"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transcriptfiles"
)

// inFiles returns what a call of the database gave, or where it knows no such session, what
// the files of the session give.
func inFiles[T any](ctx context.Context, s *Store, id string, v T, err error, read func(*transcriptfiles.Conversation) (T, error)) (T, error) {
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindNotFound {
		return v, err
	}
	c, fault := s.files.Open(ctx, id)
	if fault != nil {
		return v, fault
	}
	if c == nil {
		return v, err
	}
	return read(c)
}

// MessagesOf is [Store.MessagesByID] for messages of the conversation of a session, which
// only files may have.
func (s *Store) MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error) {
	if len(ids) > 0 && transcriptfiles.IsMessage(ids[0]) {
		if c, err := s.files.Open(ctx, id); c != nil || err != nil {
			return c.Messages(ids), err
		}
	}
	return s.transcripts.MessagesByID(ctx, ids)
}

// Records returns the rows of sessions in the order of ids, as [sessiondb.DB.Records] does, and
// of sessions that only files have what these say.
func (s *Store) Records(ctx context.Context, ids []string) ([]Record, error) {
	rows, err := s.DB.Records(ctx, ids)
	if err != nil {
		return rows, err
	}
	return s.files.AddRecords(ctx, ids, rows)
}

// TranscriptSession returns the session of which a file is a transcript file
// (store/README.md#transcript-files), by its name and its content; ok is false for any other
// file.
func TranscriptSession(ctx context.Context, path string) (id string, ok bool) {
	return transcriptfiles.SessionIn(ctx, path)
}

// HasTranscript reports whether a folder has transcript files of a session.
func HasTranscript(folder, session string) bool {
	return len(db.TranscriptNames(folder, session)) > 0
}

// ImportTranscript imports the transcript files of a session, or only the one at path where
// it is not "". A session that the database does not have is imported as [Store.Import] would;
// to one that it has, those messages are appended that only the files have: by role, text and
// calls, and by the time where both have one (store/README.md#transcript-files). So it can be
// repeated, and continued after an error. The files stay as they are.
//
// Appending follows the rules of [sessiondb.DB.AppendMessage]. Lines that are no messages are
// in the report.
func (s *Store) ImportTranscript(ctx context.Context, id, path string, o model.ImportOptions) (model.ImportReport, error) {
	return s.files.Import(ctx, s.transfer, s.DB, id, path, o)
}
