package model

// Error says why something could not be done with a database, and what to do about it.
type Error struct {
	Kind    string // one of the Kind constants; stable, for scripts
	Path    string
	Message string // why, without the path
	Remedy  Remedy
	Err     error // the error of the system, nil for none

	Matches []string // ids of the sessions that it is about: of an ambiguous name newest first
}

// Error returns the path and the message in one line.
func (e *Error) Error() string { return e.Path + ": " + e.Message }

// Advice returns the cause without the path, and the remedy, for a screen that names the
// one database that is open.
func (e *Error) Advice() (cause string, remedy Remedy) { return e.Message, e.Remedy }

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// The kinds of an [Error] about a file as a whole.
const (
	KindAbsent       = "absent"         // nothing is at the path
	KindPostgres     = "postgres"       // nothing is at the path: Hermes keeps its sessions in PostgreSQL
	KindEmpty        = "empty"          // the file has no tables
	KindDirectory    = "directory"      // the path is a folder
	KindNotAFile     = "not-a-file"     // neither a file nor a folder, such as a socket
	KindSymlinkLoop  = "symlink-loop"   // the path is a symbolic link that leads to itself
	KindUnreadable   = "unreadable"     // the system refuses to read it
	KindNotADatabase = "not-a-database" // the content is not that of SQLite
	KindTruncated    = "truncated"      // the file is shorter than its header says
	KindDamaged      = "damaged"        // pages of the file contradict each other or cannot be read
	KindLocked       = "locked"         // another process holds a lock for too long
	KindForeign      = "foreign"        // a database of another application
	KindNewer        = "newer"          // a schema beyond 11, which store.Migrate does not change
	KindIncomplete   = "incomplete"     // an export has all that could be read of a damaged file
	KindFailed       = "failed"         // SQLite reports an error that has no kind of its own
	KindIO           = "io"             // the disk or its file system reports an error, which may pass
)

// The kinds of an [Error] about the name of a session.
const (
	KindNotFound  = "not-found" // no session has this id or title
	KindAmbiguous = "ambiguous" // Matches holds the sessions that it could mean
)

// The kinds of an [Error] about a change that was not made, or not completely.
const (
	KindReadOnly        = "read-only"    // the file cannot be written
	KindDiskFull        = "disk-full"    // there is no room, or the quota is used up
	KindInUse           = "in-use"       // another process is writing the session
	KindTokenizer       = "tokenizer"    // the trap of messages_fts_cjk (store/README.md#tokenizer-trap)
	KindRefused         = "refused"      // a trigger or a table forbids it, or Hermes would lose track of the session
	KindTitleInUse      = "title-in-use" // Matches holds the session that has the title
	KindInvalid         = "invalid"      // the value cannot be stored
	KindClosed          = "closed"       // the call came after Close, or during it
	KindReplaced        = "replaced"     // the path leads to another file than at opening
	KindContinued       = "continued"    // the session was compressed; Matches holds the one that continues it, if there is one
	KindExists          = "exists"       // another row has the id of one to restore
	KindChanged         = "changed"      // the sessions have changed since the caller looked
	KindIncompleteWrite = "partly"       // stopped between two transactions; the removed rows can be restored
	KindIndex           = "index"        // the full-text index does not fit the messages
)
