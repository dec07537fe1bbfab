package store

import (
	"errors"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transfer"
	"hermes-sessions/store/internal/upkeep"
)

// Error says why something could not be done with a database, and what to do
// about it. Its fields are Kind (one of the Kind constants), Path, Message (a
// sentence without the path), Remedy (what to do, in words and as data), Err (the error of
// the system, if any) and Matches (ids of the sessions that it is about; of an
// ambiguous name the newest first).
type Error = db.Error

// The kinds of an [Error] about a file as a whole.
const (
	KindAbsent       = db.KindAbsent
	KindPostgres     = db.KindPostgres
	KindEmpty        = db.KindEmpty
	KindDirectory    = db.KindDirectory
	KindNotAFile     = db.KindNotAFile
	KindSymlinkLoop  = db.KindSymlinkLoop
	KindUnreadable   = db.KindUnreadable
	KindNotADatabase = db.KindNotADatabase
	KindTruncated    = db.KindTruncated
	KindDamaged      = db.KindDamaged
	KindLocked       = db.KindLocked
	KindForeign      = db.KindForeign
	KindNewer        = db.KindNewer      // a schema beyond 11, which Migrate does not change
	KindIncomplete   = db.KindIncomplete // an export has all that could be read of a damaged file
	KindFailed       = db.KindFailed     // SQLite reports an error that has no kind of its own
	KindIO           = db.KindIO         // the disk or its file system reports an error, which may pass
)

// The kinds of an [Error] about the name of a session.
const (
	KindNotFound  = db.KindNotFound
	KindAmbiguous = db.KindAmbiguous // Matches holds the sessions that it could mean
)

// The kinds of an [Error] about a change that was not made, or not completely.
const (
	KindReadOnly        = db.KindReadOnly
	KindDiskFull        = db.KindDiskFull
	KindInUse           = db.KindInUse           // another process is writing the session
	KindTokenizer       = db.KindTokenizer       // the trap of messages_fts_cjk (store/README.md#tokenizer-trap)
	KindRefused         = db.KindRefused         // a trigger of a newer Hermes refused it
	KindTitleInUse      = db.KindTitleInUse      // Matches holds the session that has the title
	KindInvalid         = db.KindInvalid         // the value cannot be stored
	KindClosed          = db.KindClosed          // the call came after Close, or during it
	KindReplaced        = db.KindReplaced        // the path leads to another file than at opening
	KindContinued       = db.KindContinued       // the session was compressed; Matches holds the one that continues it, if there is one
	KindExists          = db.KindExists          // another row has the id of one to restore
	KindChanged         = db.KindChanged         // the sessions have changed since the caller looked
	KindIncompleteWrite = db.KindIncompleteWrite // stopped between two transactions; the removed rows can be restored
	KindIndex           = db.KindIndex           // the full-text index does not fit the messages
)

// The kinds of a [model.HealthNote] of [Store.Notes]: what is wrong with a
// database that can still be read.
const (
	NoteFTSMissing   = db.NoteFTSMissing
	NoteFTSOutOfStep = db.NoteFTSOutOfStep
	NoteFTSDamaged   = db.NoteFTSDamaged
	NoteNewerSchema  = db.NoteNewerSchema
	NoteNoVersion    = db.NoteNoVersion
	NoteTwoVersions  = db.NoteTwoVersions
	NotePostgres     = db.NotePostgres
	NoteDamaged      = db.NoteDamaged
	NoteIndexDamaged = db.NoteIndexDamaged // an index lacks rows of its table
	NoteUnnamed      = db.NoteUnnamed      // sessions without an ID that is text are left out
	NoteFrozen       = db.NoteFrozen       // read as immutable: changes by others are not seen
	NoteUnshared     = db.NoteUnshared     // the file system has no shared memory
	NoteDiskFull     = db.NoteDiskFull     // read as immutable: there is no room beside the file
	NoteLogDamaged   = db.NoteLogDamaged   // changes in the write-ahead log cannot be read
)

// The kinds of a [model.HealthNote] that only [Store.Check] finds.
const (
	NoteReadableByAll   = upkeep.NoteReadableByAll
	NoteLargeWAL        = upkeep.NoteLargeWAL
	NoteOlderSchema     = upkeep.NoteOlderSchema
	NoteDuplicateTitles = upkeep.NoteDuplicateTitles
	NoteOrphans         = upkeep.NoteOrphans
	NoteCycles          = upkeep.NoteCycles
	NoteDangling        = upkeep.NoteDangling
	NoteLost            = upkeep.NoteLost
	NoteOddValues       = upkeep.NoteOddValues
	NoteCounts          = upkeep.NoteCounts
	NoteNotCompared     = upkeep.NoteNotCompared
	NoteUnchecked       = upkeep.NoteUnchecked
	NoteSlowSearch      = upkeep.NoteSlowSearch
)

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading has found since.
func (s *Store) Notes() []model.HealthNote {
	return s.db.Notes()
}

// IsDiskFull reports whether an error of the system says that a disk is full or
// over its quota, or that a file would become too large for it.
func IsDiskFull(err error) bool { return transfer.IsDiskFull(err) }

// WrapDiskFull returns an [*Error] of [KindDiskFull] that names the file for which there was no
// room, and says what follows. Other errors stay as they are.
func WrapDiskFull(file, consequence string, err error) error {
	if _, known := errors.AsType[*Error](err); known || !IsDiskFull(err) {
		return err
	}
	return &Error{
		Kind: KindDiskFull, Path: file, Err: err, Message: "the disk is full or over its quota; " + consequence,
		Remedy: db.AdviseSpace("free some space, or write to another disk", file),
	}
}
