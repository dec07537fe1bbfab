package model

// HealthNote is a problem of a database file, with its remedy.
type HealthNote struct {
	Kind    string // one of the Note constants; stable, for scripts
	Message string
	Remedy  Remedy
}

// The kinds of a [HealthNote]: what is wrong with a database that can still be read.
const (
	NoteFTSMissing   = "fts-missing"      // there is no full-text index
	NoteFTSOutOfStep = "fts-out-of-step"  // the full-text index lacks messages
	NoteFTSDamaged   = "fts-damaged"      // the full-text index cannot be read
	NoteNewerSchema  = "newer-schema"     // a schema that package store does not know
	NoteNoVersion    = "no-version"       // the file does not say its schema version
	NoteTwoVersions  = "two-versions"     // the file says more than one
	NotePostgres     = "postgres"         // Hermes now uses PostgreSQL; the file may be out of date
	NoteDamaged      = "damaged"          // some rows cannot be read
	NoteIndexDamaged = "index-damaged"    // an index lacks rows of its table
	NoteUnnamed      = "unnamed-sessions" // sessions without an ID that is text are left out
	NoteDangling     = "dangling-rows"    // rows of a session or message that has no row
	NoteOtherCase    = "other-case"       // tables or columns have names in another case
	NoteFrozen       = "frozen"           // read as immutable: changes by others are not seen
	NoteUnshared     = "no-shared-memory" // the file system has no shared memory
	NoteDiskFull     = "disk-full"        // read as immutable: there is no room beside the file
	NoteLogDamaged   = "damaged-log"      // changes in the write-ahead log cannot be read
)

// The kinds of a [HealthNote] that only a [Checkup] has.
const (
	NoteReadableByAll   = "readable-by-all"     // every user of the machine can read the file
	NoteLargeWAL        = "large-wal"           // the write-ahead log is larger than 64 MB
	NoteOlderSchema     = "older-schema"        // schema 1 to 10, which store.Migrate upgrades
	NoteDuplicateTitles = "duplicate-titles"    // several sessions have one title
	NoteOrphans         = "orphans"             // sessions name a parent that does not exist
	NoteCycles          = "cycles"              // a session is its own ancestor
	NoteLost            = "unreadable-messages" // messages cannot be read
	NoteOddValues       = "odd-values"          // values that Hermes does not write
	NoteCounts          = "message-counts"      // a session counts more messages than exist
	NoteNotCompared     = "not-compared"        // texts were not compared with the full-text index
	NoteUnchecked       = "unchecked"           // a step of the check failed
	NoteUnrestorable    = "unrestorable"        // messages could not be put back after a delete
	NoteRefused         = "changes-refused"     // triggers of the file would have changes refused
	NoteSlowSearch      = "slow-search"         // searches ask FTS5 instead of reading its index
)

// Checkup is what a check of a whole database has found.
type Checkup struct {
	Path     string
	Version  int    // schema version that the file states, 0 where it states none
	Journal  string // mode, as SQLite names it
	Bytes    int64  // size of the file
	WALBytes int64  // size of its -wal
	Mode     uint32 // permissions of the file, as 0o600

	Sessions, Messages int // rows, whether or not they are shown
	Index              IndexCheck

	Problems []HealthNote // what is wrong, the gravest first; none: the file is healthy
	Advice   []HealthNote // what works, and is worth knowing
}

// Healthy reports whether there are no problems.
func (c *Checkup) Healthy() bool { return len(c.Problems) == 0 }

// IndexCheck says how the messages are indexed (store/README.md#fts-layouts).
type IndexCheck struct {
	Layout   string // "none", "inline", "external", "storage 1" to "storage 3"
	Words    TableCheck
	Trigrams TableCheck
	CJK      bool // the third index, which only Hermes can write
	Stale    bool // Hermes has marked the index as out of date
	Pending  int  // messages that a rebuild of Hermes has yet to reach
	Compared bool // every text was compared with the index, not only the row numbers
}

// TableCheck counts where a full-text table and the messages differ.
type TableCheck struct {
	Present        bool
	Missing, Extra int // messages that it lacks; rows without a message
}
