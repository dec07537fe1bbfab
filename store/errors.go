package store

import (
	"errors"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
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
	KindAbsent       = db.KindAbsent       // nothing is at the path
	KindPostgres     = db.KindPostgres     // nothing is at the path: Hermes keeps its sessions in PostgreSQL
	KindEmpty        = db.KindEmpty        // the file has no tables
	KindDirectory    = db.KindDirectory    // the path is a folder
	KindNotAFile     = db.KindNotAFile     // neither a file nor a folder, such as a socket
	KindSymlinkLoop  = db.KindSymlinkLoop  // the path is a symbolic link that leads to itself
	KindUnreadable   = db.KindUnreadable   // the system refuses to read it
	KindNotADatabase = db.KindNotADatabase // the content is not that of SQLite
	KindTruncated    = db.KindTruncated    // the file is shorter than its header says
	KindDamaged      = db.KindDamaged      // pages of the file contradict each other or cannot be read
	KindLocked       = db.KindLocked       // another process holds a lock for too long
	KindForeign      = db.KindForeign      // a database of another application
	KindNewer        = db.KindNewer        // a schema beyond 11, which Migrate does not change
	KindIncomplete   = db.KindIncomplete   // an export has all that could be read of a damaged file
	KindFailed       = db.KindFailed       // SQLite reports an error that has no kind of its own
	KindIO           = db.KindIO           // the disk or its file system reports an error, which may pass
)

// The kinds of an [Error] about the name of a session.
const (
	KindNotFound  = db.KindNotFound  // no session has this id or title
	KindAmbiguous = db.KindAmbiguous // Matches holds the sessions that it could mean
)

// The kinds of an [Error] about a change that was not made, or not completely.
const (
	KindReadOnly        = db.KindReadOnly        // the file cannot be written
	KindDiskFull        = db.KindDiskFull        // there is no room, or the quota is used up
	KindInUse           = db.KindInUse           // another process is writing the session
	KindTokenizer       = db.KindTokenizer       // the trap of messages_fts_cjk (store/README.md#tokenizer-trap)
	KindRefused         = db.KindRefused         // a trigger or a table forbids it, or Hermes would lose track of the session
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
	NoteFTSMissing   = db.NoteFTSMissing   // there is no full-text index
	NoteFTSOutOfStep = db.NoteFTSOutOfStep // the full-text index lacks messages
	NoteFTSDamaged   = db.NoteFTSDamaged   // the full-text index cannot be read
	NoteNewerSchema  = db.NoteNewerSchema  // a schema that this package does not know
	NoteNoVersion    = db.NoteNoVersion    // the file does not say its schema version
	NoteTwoVersions  = db.NoteTwoVersions  // the file says more than one
	NotePostgres     = db.NotePostgres     // Hermes now uses PostgreSQL; the file may be out of date
	NoteDamaged      = db.NoteDamaged      // some rows cannot be read
	NoteIndexDamaged = db.NoteIndexDamaged // an index lacks rows of its table
	NoteUnnamed      = db.NoteUnnamed      // sessions without an ID that is text are left out
	NoteOtherCase    = db.NoteOtherCase    // tables or columns have names in another case
	NoteFrozen       = db.NoteFrozen       // read as immutable: changes by others are not seen
	NoteUnshared     = db.NoteUnshared     // the file system has no shared memory
	NoteDiskFull     = db.NoteDiskFull     // read as immutable: there is no room beside the file
	NoteLogDamaged   = db.NoteLogDamaged   // changes in the write-ahead log cannot be read
)

// The kinds of a [model.HealthNote] that only [Store.Check] finds.
const (
	NoteReadableByAll   = upkeep.NoteReadableByAll   // every user of the machine can read the file
	NoteLargeWAL        = upkeep.NoteLargeWAL        // the write-ahead log is larger than 64 MB
	NoteOlderSchema     = upkeep.NoteOlderSchema     // schema 1 to 10, which Migrate upgrades
	NoteDuplicateTitles = upkeep.NoteDuplicateTitles // several sessions have one title
	NoteOrphans         = upkeep.NoteOrphans         // sessions name a parent that does not exist
	NoteCycles          = upkeep.NoteCycles          // a session is its own ancestor
	NoteDangling        = upkeep.NoteDangling        // rows of a session or message that has no row
	NoteLost            = upkeep.NoteLost            // messages cannot be read
	NoteOddValues       = upkeep.NoteOddValues       // values that Hermes does not write
	NoteCounts          = upkeep.NoteCounts          // a session counts more messages than exist
	NoteNotCompared     = upkeep.NoteNotCompared     // texts were not compared with the full-text index
	NoteUnchecked       = upkeep.NoteUnchecked       // a step of the check failed
	NoteRefused         = upkeep.NoteRefused         // triggers of the file would have changes refused
	NoteUnrestorable    = upkeep.NoteUnrestorable    // messages could not be put back after a delete
	NoteSlowSearch      = upkeep.NoteSlowSearch      // searches ask FTS5 instead of reading its index
)

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading has found since.
func (s *Store) Notes() []model.HealthNote {
	return s.db.Notes()
}

// IsDiskFull reports whether an error of the system says that a disk is full or
// over its quota, or that a file would become too large for it.
func IsDiskFull(err error) bool { return db.IsDiskFull(err) }

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
