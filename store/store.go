// Package store is the session database of Hermes Agent: one SQLite file,
// usually ~/.hermes/state.db, of any schema version from 1 to 31. No package
// outside of it speaks SQL.
//
// A program needs about fifteen of its calls:
//
//	Open, Migrate, Demo      a file as it is, a new or upgraded one, an invented one
//	Store.Conversations      a page of conversations, with filters and in an order
//	Store.Search             the conversations that match a query
//	Store.MatchName          the conversation of an id, the beginning of one, or a title
//	Store.Outline            a transcript of any length, of which
//	Store.MessagesByID       reads a part
//	Store.Lineage            segments, branches and subagents
//	Store.Files              the files that a conversation read, wrote and edited
//	Store.UsageReport        tokens and cost, to be grouped by package usage
//	Store.Rename             another title; SetPinned and SetArchived are like it
//	Store.UndoEdit           takes such an edit back
//	Store.Delete             after PlanDelete has said what goes; Prune deletes by age
//	Store.Restore            brings back what a delete removed
//	Store.Export, Import     JSON lines, to and from any schema
//	Store.Check              what is wrong with the file, with remedies; Salvage writes a sound one
//	Store.Close              ends it
//
// Store.Prepare makes the first search fast. The documented calls of Hermes's own
// SessionDB, such as Session, Messages, CreateSession, AppendMessage, SetTitle, AddUsage
// and Stats, are methods of a [Store] too, because it embeds a [sessiondb.DB]: they work
// on the same open file.
//
// Values are those of package model: conversations, messages, deletions, reports.
//
// An error is an [*model.Error] with a kind, a sentence and a remedy where the file,
// a name or another program is at fault. A write waits for other writers as
// long as Hermes does, and keeps them waiting as briefly.
//
// The package is thin: a method calls the package that does the work. Only Details
// and AutoPrune, which join several of these, and the errors of errors.go have code
// here.
//
//	sessiondb            the documented calls of SessionDB
//	search, search/fts   search
//	internal/snapshot    all sessions in memory: lists, lineage, names
//	internal/transcript  outlines and messages of conversations
//	internal/edits       rename, pin, archive, undo
//	internal/trash       delete, restore, prune, clean-up
//	internal/transfer    export, import, backup files
//	internal/transcriptfiles  conversations that stand in files beside the database
//	internal/upkeep      check, migrate, vacuum
//	internal/db          connections, schema, transactions, errors
//	demo, ddl            the invented history; the schemas of versions 11 and 26
//
// Two packages put something in front of a Store for programs that show it: live keeps
// it open while its file is replaced, federation shows several databases as one.
//
// README.md beside this file states the facts about the database that the code
// relies on.
package store

import (
	"context"
	"errors"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/edits"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transcript"
	"hermes-sessions/store/internal/transcriptfiles"
	"hermes-sessions/store/internal/transfer"
	"hermes-sessions/store/internal/trash"
	"hermes-sessions/store/internal/upkeep"
	"hermes-sessions/store/search"
	"hermes-sessions/store/sessiondb"
)

// Store is an open session database. Its methods may be called from several
// goroutines at once. A call that is canceled costs one connection, which is
// replaced by itself.
type Store struct {
	*sessiondb.DB // the calls of Hermes's SessionDB

	db          *db.DB
	sessions    *snapshot.Sessions
	engine      *search.Engine
	transcripts *transcript.Reader
	edits       *edits.Editor
	transfer    *transfer.Transfer
	trash       *trash.Bin
	upkeep      *upkeep.Upkeep
	files       *transcriptfiles.Folder
	onClose     func() error // what is left to do after closing, nil for nothing
}

// Open opens an existing database for reading, whatever its version. It runs
// no DDL, changes no journal mode and writes no version.
//
// Where the file and its folder can be written, the connections are read-write
// ones that are set to refuse writes: when the last of them closes, SQLite
// removes the -wal and -shm files that reading a WAL database makes. The
// database file of an idle history keeps its bytes and its time. What SQLite
// does by itself remains: where a process died while writing, the last close
// moves the contents of its -wal into the file, as the next start of Hermes
// would, and a half-written transaction in a rollback journal is undone. A
// journal that is damaged, or belongs to another file, is an error instead:
// SQLite would write it over the database, or remove it and leave half a change.
//
// A -wal with content that no process has open (no -shm beside it: a copy or a
// restored backup) is read in full through read-only connections and left
// where it is, and so is the file; a -shm file, which holds no data, then
// stays behind. [ReadOnly] has the same effect on any file.
//
// A WAL database without a -wal is read as immutable, with a note, where its
// folder cannot be written or its file system has no shared memory.
//
// A truncated file gives what is left of it, with a note. The error is an
// [*model.Error] when the file is at fault. No call takes longer than two seconds
// on any kind of file.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	if err := s.db.Open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Option changes how a database is opened.
type Option func(*Store)

// WithClock sets what counts as now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.db.Clock = now } }

// WithProcesses sets how it is asked whether a process of this machine exists: a turn or a
// compression whose process has ended no longer stands in the way of a change.
func WithProcesses(exists func(pid int) bool) Option {
	return func(s *Store) { s.db.ProcessExists = exists }
}

// ReadOnly opens the file without the right to write, so that nothing in this
// process can. SQLite then leaves -wal and -shm files behind where the
// database is in WAL mode.
func ReadOnly() Option {
	return ReadOnlyBecause("the database was opened read-only", model.Advise("open it for writing"))
}

// ReadOnlyBecause is [ReadOnly] with the reason that every change is refused with, and a remedy.
func ReadOnlyBecause(why string, remedy model.Remedy) Option {
	return func(s *Store) { s.db.ForbidWrites(why, remedy) }
}

// WithTranscripts names the folder where Hermes keeps files that belong to
// sessions, usually the folder "sessions" beside the database. Deleting a
// session then removes its files too, and restoring it brings them back:
//
//	ID.json  ID.jsonl  session_ID.json  request_dump_ID_20260102_030405_678901.json
//
// Exactly those: a file that another session could own stays, and no id leads
// out of the folder (store/README.md#q19).
//
// Conversations that only such files have are listed in [model.ScopeAll] with the source
// "file", and read and exported as others are; [Store.ImportTranscript] brings them into the
// database (store/README.md#transcript-files).
func WithTranscripts(dir string) Option { return func(s *Store) { s.db.Transcripts = dir } }

// WithPruneSettings tells what Hermes's config.yaml says about deleting old sessions, for
// [model.Conversation.ExpiresAt] and the filter is:expiring. Without it, or with nil, no
// conversation expires.
func WithPruneSettings(p *model.PruneSettings) Option {
	return func(s *Store) { s.db.PruneSettings = p }
}

// WithUndoFolder names a folder for what deletes remove, which need not exist: a file for
// each delete, readable for its owner only, until the delete has been undone or can no
// longer be ([WithUndoLimits]). When the process is killed before that, the file stays, and
// [Store.InterruptedUndos] finds it.
func WithUndoFolder(dir string) Option { return func(s *Store) { s.db.UndoFolder = dir } }

// WithUndoLimits keeps what deletes remove in the folder of [WithUndoFolder] after this
// program has ended, within limits, for [Store.SavedUndos] of a later one. What is beyond
// them, of any database, is removed when a later program looks there.
func WithUndoLimits(l model.UndoLimits) Option { return func(s *Store) { s.db.UndoLimits = l } }

// WithoutBackup lets [Migrate] change a file without a copy of it. [Open]
// ignores it.
func WithoutBackup() Option { return func(s *Store) { s.upkeep.NoBackup = true } }

// WithNewestSchema lets [Migrate] make a new file of the newest schema that is known in
// full, which is 26, and not of schema 11: with folders, pins, the archive and the marks
// of messages. A file that is there already is not affected, and [Open] ignores it.
func WithNewestSchema() Option { return func(s *Store) { s.upkeep.Newest = true } }

// WithProgress has [Store.Check], [Store.Salvage] and [Migrate] call a function from time
// to time, which may be in another goroutine.
func WithProgress(report func(model.Progress)) Option {
	return func(s *Store) { s.upkeep.Progress = report }
}

// newStore makes a store as the options want it. Nothing is open yet.
func newStore(path string, opts []Option) *Store {
	d := db.New(path)
	sessions := snapshot.New(d)
	engine := search.New(d, sessions)
	editor := edits.New(d, sessions)
	moves := transfer.New(d, sessions)
	s := &Store{
		DB: sessiondb.New(d, sessions, editor), db: d, sessions: sessions, engine: engine,
		transcripts: transcript.New(d, sessions), edits: editor, transfer: moves,
		trash: trash.New(d, sessions, moves), upkeep: upkeep.New(d, sessions), files: transcriptfiles.New(d),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Path returns the file that was opened.
func (s *Store) Path() string { return s.db.Path }

// Close closes the database. It waits up to a second for running calls: cancel
// them first. Later calls fail with [model.KindClosed].
func (s *Store) Close() error {
	s.files.Close()
	err := s.db.Close()
	if s.onClose != nil {
		err = errors.Join(err, s.onClose())
	}
	return err
}

// DataVersion returns a number that grows when another process has changed the
// database, or other conversations stand in files alone, or [Store.Conversations] can tell
// more of an earlier change. It takes well under a millisecond.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	version, err := s.db.DataVersion(ctx)
	return version + s.files.Changes() + s.sessions.Renewals(), err
}

// Record is a row as it is stored: a name and a raw value for each column of
// the table in its order, then the computed values. It marshals to JSON in that
// order, as Python writes it.
type Record = pyjson.Object

// Stats sums up a database; see [sessiondb.Stats] for its fields and
// [sessiondb.DB.Stats] for the call.
type Stats = sessiondb.Stats

// FileChange reports what has happened to the file since [Open] other than through
// SQLite, by mv, cp or rm. The first call remembers the content that later ones compare;
// from then on each change of the database is refused with [model.KindReplaced] where the file
// is another. It takes about as long as [Store.DataVersion].
func (s *Store) FileChange(ctx context.Context) (model.FileChange, error) {
	return s.db.FileChange(ctx)
}

// LeaveLog prepares for [Open] of the same path after a [model.FileChange]: what the -wal at the
// path still holds of the database before goes into the file that it belongs to. The
// error is of [model.KindReplaced] where it would be mixed into the new one; then do not call
// Close either, because SQLite would do just that.
func (s *Store) LeaveLog(ctx context.Context, change model.FileChange) error {
	return s.db.LeaveLog(ctx, change)
}
