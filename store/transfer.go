package store

import (
	"context"
	"hermes-sessions/model"
	"io"
)

// Export writes sessions with their messages as JSON lines in the documented
// shape (store/README.md#export) and returns how many it wrote. All sessions come
// latest active first and carry last_active. It holds one message at a time in
// memory; each session is read in one transaction. An id that does not exist is an error
// before anything of it is written. Conversations that only files have
// ([WithTranscripts]) are exported too; a line of them that is no message is left out, and
// the error is of [model.KindIncomplete].
//
// Of a damaged database it writes what can be read, and then gives an error of
// [model.KindIncomplete]; so it does where messages are of a session that has no row. The
// documented calls that answer from memory, such as [sessiondb.DB.Messages],
// [sessiondb.DB.ChatMessages] and [sessiondb.DB.Sessions], give an error of
// [model.KindDamaged] instead of an answer with holes. [Store.Outline] and
// [Store.MessagesByID] read around damaged pages and say where something is missing.
func (s *Store) Export(ctx context.Context, w io.Writer, o model.ExportOptions) (int, error) {
	return s.files.Export(ctx, s.transfer, w, o)
}

// ExportGaps returns an error of [model.KindIncomplete] where an export of these sessions, in
// whatever form, lacks something that the file has: its pages are damaged, as far as calls
// of this store have found, sessions have no id that is text, or messages are of a session
// that has no row. Of named sessions only those whose parent has no row count.
// [Store.Export] gives the same error itself.
func (s *Store) ExportGaps(ctx context.Context, o model.ExportOptions) error {
	return s.transfer.Gaps(ctx, o)
}

// CountInactive counts the messages of these sessions that [Store.Export] leaves out, as
// Hermes does: those that were rewound or compacted in place.
func (s *Store) CountInactive(ctx context.Context, o model.ExportOptions) (int, error) {
	return s.transfer.CountInactive(ctx, o)
}

// CompareIndexes compares the indexes of sessions and messages with their tables, and
// reads without them from then on where they differ. An export of everything does it first.
func (s *Store) CompareIndexes(ctx context.Context) error {
	_, err := s.sessions.Indexes.Compare(ctx)
	return s.db.WrapError("read", err)
}

// Import reads sessions from JSON lines: one session with its messages per
// line, as [Store.Export] writes them (store/README.md#export), or a backup that
// a delete made, which is restored.
//
// Ids are kept. A session that is already there is skipped, whatever the line
// says of it. Messages keep their numbers unless another message has one of
// them; then all of the session get new ones, in the same order. A parent may
// come on a later line. Nothing else is repaired: a line that is not JSON,
// names no id, source or start, or has a title that another session has, is
// not imported but reported with its number, and the next is read, unless
// o.Strict is set. Columns that the database does not have are reported.
//
// Each session is imported completely or not at all, also when ctx ends or the
// process is killed, so that a long one keeps others from writing for as long
// as it takes, about a second for a megabyte; short ones come in transactions
// of about 30 ms with pauses. What was imported before an error is in the
// report. A backup comes back by the rules of [Store.Restore], except that rows
// that exist and differ are skipped. Memory does not grow with the length of the
// input or of a line, only with its largest single message; a longer line waits
// in a temporary file until it is complete.
//
// The error is an [*model.Error]: [model.KindReadOnly], [model.KindLocked], [model.KindDiskFull],
// [model.KindTokenizer], or with o.Strict what was wrong with a line.
func (s *Store) Import(ctx context.Context, r io.Reader, o model.ImportOptions) (model.ImportReport, error) {
	return s.transfer.Import(ctx, r, o)
}
