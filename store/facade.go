package store

import (
	"context"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transfer"
	"hermes-sessions/store/internal/trash"
	"hermes-sessions/store/internal/upkeep"
	"hermes-sessions/store/search"
	"hermes-sessions/store/sessiondb"
	"io"
)

// AutoPruneOptions say when and what AutoPrune does.
type AutoPruneOptions = trash.AutoPruneOptions

// AutoPruned is what AutoPrune did.
type AutoPruned = trash.AutoPruned

// BadLine is a line of an import that is not in the database now, and why.
type BadLine = transfer.BadLine

// Checkup is what a look at a whole database found.
type Checkup = upkeep.Checkup

// Error says why a database can not be used, and what to do.
type Error = db.Error

// ExportOptions say what to export.
type ExportOptions = transfer.ExportOptions

// ImportOptions change how an import goes about.
type ImportOptions = transfer.ImportOptions

// ImportReport says what an import did.
type ImportReport = transfer.ImportReport

// IndexCheck says how the messages are indexed (store/README.md#fts-layouts).
type IndexCheck = upkeep.IndexCheck

// MessageHit is a message that matches, with what the documented call tells
// of it (store/README.md#search).
type MessageHit = search.MessageHit

// Migrated says what [store.Migrate] did.
type Migrated = upkeep.Migrated

// Record is a row as it is stored: every column of the table in its order,
// raw values, then what was computed. It marshals to JSON in that order;
// [model.AppendJSON] writes it as Python does.
type Record = db.Record

// SearchOptions narrows [Engine.SearchMessages].
type SearchOptions = search.SearchOptions

// SearchSort is an order of messages that match.
type SearchSort = search.SearchSort

// Stats sums up a database.
type Stats = sessiondb.Stats

// TableCheck counts where a full-text table and the messages differ.
type TableCheck = upkeep.TableCheck

const (
	// What can be wrong with a file as a whole.
	KindAbsent    = db.KindAbsent
	KindAmbiguous = db.KindAmbiguous
	// the sessions are not what they were when asked about
	KindChanged = db.KindChanged
	// the session was compressed and goes on in the one in Candidates
	KindContinued = db.KindContinued
	KindDamaged   = db.KindDamaged
	KindDirectory = db.KindDirectory
	KindDiskFull  = db.KindDiskFull
	KindEmpty     = db.KindEmpty
	// another row has the id of one to restore
	KindExists  = db.KindExists
	KindForeign = db.KindForeign
	// another process is writing the session
	KindInUse = db.KindInUse
	// an export has all that could be read of a damaged file
	KindIncomplete = db.KindIncomplete
	// stopped on the way; what is gone can be restored
	KindIncompleteWrite = db.KindIncompleteWrite
	// the full-text index does not fit the messages
	KindIndex = db.KindIndex
	// the value can not be stored
	KindInvalid = db.KindInvalid
	KindLocked  = db.KindLocked
	// than schema 11, for Migrate
	KindNewer        = db.KindNewer
	KindNotADatabase = db.KindNotADatabase
	KindNotAFile     = db.KindNotAFile
	// What can be wrong with the name of a session.
	KindNotFound = db.KindNotFound
	KindPostgres = db.KindPostgres
	// What can keep a change from being made.
	KindReadOnly = db.KindReadOnly
	// a trigger of a newer Hermes said no
	KindRefused = db.KindRefused
	// the path leads to another file than at opening
	KindReplaced    = db.KindReplaced
	KindSymlinkLoop = db.KindSymlinkLoop
	// Candidates holds the session that has it
	KindTitleInUse = db.KindTitleInUse
	// the trap of messages_fts_cjk (store/README.md#tokenizer-trap)
	KindTokenizer       = db.KindTokenizer
	KindTruncated       = db.KindTruncated
	KindUnreadable      = db.KindUnreadable
	Newest              = search.Newest
	NoteCycles          = upkeep.NoteCycles
	NoteDamaged         = db.NoteDamaged
	NoteDangling        = upkeep.NoteDangling
	NoteDuplicateTitles = upkeep.NoteDuplicateTitles
	NoteFTSDamaged      = db.NoteFTSDamaged
	NoteFTSMissing      = db.NoteFTSMissing
	NoteFTSOutOfStep    = db.NoteFTSOutOfStep
	NoteFrozen          = db.NoteFrozen
	NoteLargeWAL        = upkeep.NoteLargeWAL
	NoteLost            = upkeep.NoteLost
	NoteNewerSchema     = db.NoteNewerSchema
	NoteNoVersion       = db.NoteNoVersion
	NoteNotCompared     = upkeep.NoteNotCompared
	NoteOddValues       = upkeep.NoteOddValues
	NoteOlderSchema     = upkeep.NoteOlderSchema
	NoteOrphans         = upkeep.NoteOrphans
	NotePostgres        = db.NotePostgres
	NoteReadableByAll   = upkeep.NoteReadableByAll
	NoteSlowSearch      = upkeep.NoteSlowSearch
	NoteTwoVersions     = db.NoteTwoVersions
	NoteUnchecked       = upkeep.NoteUnchecked
	NoteUnshared        = db.NoteUnshared
	Oldest              = search.Oldest
	// also ""
	Relevance = search.Relevance
)

// NoRoom reports whether an error of the system says that a disk is full, over
// its quota, or takes no file as large as that.
var NoRoom = transfer.NoRoom

// DataVersion gives a number that grows when another process has changed the
// database. It takes well under a millisecond.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	return s.db.DataVersion(ctx)
}

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading came across since.
func (s *Store) Notes() []model.HealthNote {
	return s.db.Notes()
}

// HitIDs gives the ids of all messages of one conversation that match, in
// reading order. id is any session of it. No message is read for its text,
// which is most of what [Engine.Hits] takes.
func (s *Store) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	return s.engine.HitIDs(ctx, q, id)
}

// Hits gives the first messages of one conversation that match, in reading
// order: at most limit of them, all when it is 0. id is any session of it.
func (s *Store) Hits(ctx context.Context, q query.Query, id string, limit int) ([]model.Hit, error) {
	return s.engine.Hits(ctx, q, id, limit)
}

// Prepare reads ahead what searches need, so that each of them is quick: the
// sessions, who said which message, in a small file who speaks in each session,
// the rows of the most common words and of their beginnings, and how messages are
// written. A search is right without
// it, only slower, and later calls read only what has changed since, and the
// sessions. It is for a goroutine of its own: on a million messages it takes two
// to three seconds. The error is context.Canceled soon after ctx is.
func (s *Store) Prepare(ctx context.Context) error {
	return s.engine.Prepare(ctx)
}

// Search finds conversations: those with a message, or a title, id or source,
// that matches the query. A message matches by itself: all words in one. The
// filters of the query and those of list hold together; a query of filters
// alone lists. With filters on messages (role:, tool:) only messages match.
//
// The order is that of list.Sort. By relevance means: a matching title first,
// then how many messages match, those of people counting twice those of tools
// (by powers of two), then the last activity. The best hit is the newest, and
// one that somebody said rather than a tool's.
//
// Rewound and hidden messages are never found, archived ones of in-place
// compaction are (store/README.md#hidden-rows). Which messages there are, whose they
// are, and which conversations there are by what titles is that of one moment
// between the call and its return. What else is told of a session that another
// process has changed, such as a pin, a cost or its end, may be as [Engine.Prepare]
// or the list have last read it: no key waits for all sessions to be read again.
// The error is context.Canceled soon
// after ctx is.
func (s *Store) Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	return s.engine.Search(ctx, q, list)
}

// SearchMessages finds messages of all sessions, subagents and earlier
// segments too (search_messages, store/README.md#search). The query is in the
// language of [model.ParseQuery]; its filters judge the conversation that a
// message belongs to, and a query of filters alone finds no message. total
// counts all that match, whatever the page holds.
//
// It differs from the documented call where that one fails its users: no query
// is an error (store/README.md#q1), escaped text is found (#q2), operators hold in
// every script (#q5, #q6, #q23), every snippet is marked and readable (#q20),
// context goes by id (#q17).
func (s *Store) SearchMessages(ctx context.Context, asked string, o SearchOptions) (hits []MessageHit, total int, err error) {
	return s.engine.SearchMessages(ctx, asked, o)
}

// Ancestors gives the sessions above one, the root of its lineage first and
// its parent last; none for a root. The error is of [KindNotFound] for an
// unknown session.
func (s *Store) Ancestors(ctx context.Context, id string) ([]model.Session, error) {
	return s.sessions.Ancestors(ctx, id)
}

// Conversation gives the one that a session belongs to.
func (s *Store) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	return s.sessions.Conversation(ctx, id)
}

// Conversations answers the list. Total and Hidden count everything that
// matches, whatever the page holds, unless the query can do without and the
// database is a large one that was not listed yet: then the page is Partial,
// and the totals are those of what had to be read for it. Who has some
// thousand messages is then believed to have as many as its writer counted.
// All else in a page with RowsOnly is exactly that of the whole list. With
// Glance others may stand on it where clocks were set back, or where the file
// keeps apart from the messages when a session was last active.
func (s *Store) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	return s.sessions.Conversations(ctx, q)
}

// Descendants gives the sessions below one, to any depth and of every kind:
// each after its parent, siblings oldest first. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Descendants(ctx context.Context, id string) ([]model.Session, error) {
	return s.sessions.Descendants(ctx, id)
}

// Lineage gives the tree of all sessions tied by their parents to the one
// named: segments, branches and delegates, from the root down, with what each
// and all below it have used (store/README.md#lineage). A parent that is not there
// is none, and a ring of parents is cut above its oldest session. A root that
// carries the mark of a delegate is of that kind. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Lineage(ctx context.Context, id string) (*model.Node, error) {
	return s.sessions.Lineage(ctx, id)
}

// QuickLineage is Lineage for a screen that can not wait: it makes do with
// what was known a moment ago, and looks up what was said, and the states that
// follow from it, only around the session named. partial is true when Lineage
// would tell more.
func (s *Store) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	return s.sessions.QuickLineage(ctx, id)
}

// Resolve finds the session that a person means: by id, unique beginning of
// an id, title, or title of a numbered lineage, in this order.
func (s *Store) Resolve(ctx context.Context, name string) (string, error) {
	return s.sessions.Resolve(ctx, name)
}

// ResolveID finds the session with this id, or the only one whose id begins
// so; the case of ASCII letters does not matter (store/README.md#id-prefixes). The
// error is of [KindNotFound] or, naming the candidates, [KindAmbiguous].
func (s *Store) ResolveID(ctx context.Context, prefix string) (string, error) {
	return s.sessions.ResolveID(ctx, prefix)
}

// ResolveTitle finds the session with this title, or with the highest number
// after it ("title #3"; the title itself counts as #1). Titles are compared
// exactly (store/README.md#q4). Of equal ones the newest is meant.
func (s *Store) ResolveTitle(ctx context.Context, title string) (string, error) {
	return s.sessions.ResolveTitle(ctx, title)
}

// ResumeTarget gives the session to go on from when somebody wants to resume
// this one: of its conversation the newest segment that holds messages
// (resolve_resume_session_id by the rules of schema 25, store/README.md#resume-target).
// Where none does it is the first session with messages on the way down the
// newest children, of whatever kind; any other id comes back as it is.
func (s *Store) ResumeTarget(ctx context.Context, id string) (string, error) {
	return s.sessions.ResumeTarget(ctx, id)
}

// Tip gives the id of the newest segment of a compressed conversation, seen
// from any of its segments; any other id comes back as it is
// (get_compression_tip by the rules of schema 25, store/README.md#tip).
func (s *Store) Tip(ctx context.Context, id string) (string, error) {
	return s.sessions.Tip(ctx, id)
}

// Fork finds the place where a session left the one above it. A branch begins
// with copies of what was said before: the last of them is the place. A
// delegate left at the call that started it. Where neither is found it is the
// last message that stood there when the session began. A session with none
// above it has only its first message. The error is of [KindNotFound] for an
// unknown session.
func (s *Store) Fork(ctx context.Context, id string) (model.Fork, error) {
	return s.transcripts.Fork(ctx, id)
}

// MessagesByID reads messages in the order of ids; those gone are left out.
// Hidden, rewound and archived ones are given too: who has an id means it.
func (s *Store) MessagesByID(ctx context.Context, ids []int64) ([]model.Message, error) {
	return s.transcripts.MessagesByID(ctx, ids)
}

// MessagesNear reads visible messages of one segment of the conversation that
// session id belongs to, up to n around message at, or the last n when at is
// 0; oldest first. They are what an outline has there, at a fifth of its time.
// There are none where only the outline can tell: near the beginning of a
// segment, which may repeat the one before it.
func (s *Store) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	return s.transcripts.MessagesNear(ctx, id, at, n)
}

// Outline gives the skeleton of the conversation that session id belongs to:
// the ids of all visible messages, segment by segment, in the order in which
// they were written (by id, as clocks step back), without the copies that
// compression made.
func (s *Store) Outline(ctx context.Context, id string) (model.Outline, error) {
	return s.transcripts.Outline(ctx, id)
}

// Tail reads the last n visible messages of the conversation that session id
// belongs to, oldest first. It is much faster than an outline of a long one.
func (s *Store) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	return s.transcripts.Tail(ctx, id, n)
}

// Export writes sessions with their messages as JSON lines in the documented
// shape (store/README.md#export) and gives how many it wrote. All sessions come
// latest active first and carry last_active. It holds one message at a time in
// memory; each session is of one moment. An id that is not there is an error
// before anything of it is written.
//
// Of a damaged database it writes what can be read, and then gives an error of
// [KindIncomplete]; the documented calls that answer from memory, as
// [sessiondb.DB.Messages], [sessiondb.DB.ChatMessages] or [sessiondb.DB.Sessions], give one of
// [KindDamaged] instead of an answer with holes. [transcript.Reader.Outline] and
// [transcript.Reader.MessagesByID] read around damaged pages and say where something is
// missing.
func (s *Store) Export(ctx context.Context, w io.Writer, o ExportOptions) (int, error) {
	return s.transfer.Export(ctx, w, o)
}

// Import reads sessions from JSON lines: one session with its messages per
// line, as Export writes them (store/README.md#export), or a backup that a delete
// made, which is restored.
//
// Ids are kept. A session that is there already is skipped, whatever the line
// says of it. Messages keep their numbers unless another message has one of
// them; then all of the session get new ones, in the same order. A parent may
// come on a later line. Nothing else is repaired: a line that is not JSON,
// names no id, source or start, or has a title that another session has, is
// not imported but reported with its number, and the next goes on, unless
// o.Strict is set. Columns that the database does not have are reported.
//
// Each session is imported whole or not at all, also when ctx ends or the
// process is killed, so that a long one keeps others from writing for as long
// as it takes, about a second for a megabyte; short ones come in transactions
// of about 30 ms with pauses. What was imported before an error is in the
// report. A backup comes back as
// [trash.Bin.Restore] says, what exists and differs being skipped. Memory does not
// grow with the length of the input or of a line, only with its largest single
// message; a longer line waits in a temporary file until it is complete.
//
// The error is an [*Error]: read-only, locked, disk-full, tokenizer, or with
// o.Strict what was wrong with a line.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	return s.transfer.Import(ctx, r, o)
}

// CleanupFindings finds conversations that nobody misses, with the reason: ghosts and
// other empty ones, subagents' work whose conversation is gone, and numbered
// duplicates ("deploy #2") all of whose messages also begin another
// conversation of that title. Pinned ones and those that were active within a
// day are none; nothing is changed. Most certain reasons come first, then the
// longest silent.
func (s *Store) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	return s.trash.CleanupFindings(ctx)
}

// Delete removes the conversations that the sessions with these ids belong
// to: all their segments, and the delegates under them to any depth. Branches
// stay and lose their parent (store/README.md#deletion). See
// [model.DeleteOptions] for a single segment.
//
// A conversation of up to 128 KB, counting a quarter of a kilobyte for each row
// besides its text, goes in one transaction, whole or not at all; short ones go
// together as they fit. A longer one goes in parts of
// about 30 ms with pauses between, newest first, each session with its last
// messages, delegates before the sessions that started them: nobody else waits
// long to write, but a crash leaves its beginning. One message is never
// divided; a megabyte of text takes about a second. When ctx ends, or
// something fails, between two transactions, the error is of kind partly and
// the Undo holds what is gone by then. With nothing removed the Undo is nil.
//
// The error is an [*Error]: not-found where none of ids exists, changed where
// the sessions are not what o.Expect says or others change them all the time,
// in-use where another process is writing them, index where the full-text index
// is damaged and might not take them back, tokenizer, refused (with the
// words of a newer Hermes), read-only, locked, disk-full. Transcript files
// are removed after their session; those that can not be are in FilesLeft.
func (s *Store) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	return s.trash.Delete(ctx, ids, o)
}

// PlanDelete says what Delete would remove, without changing anything. The
// error says why Delete would refuse; the counts are given all the same.
func (s *Store) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	return s.trash.PlanDelete(ctx, ids, o)
}

// Prunable gives the conversations that Prune would remove, longest silent
// first. Total counts are those of [model.Conversation]; nothing is changed.
func (s *Store) Prunable(ctx context.Context, o model.PruneOptions) ([]model.Conversation, error) {
	return s.trash.Prunable(ctx, o)
}

// Prune removes the conversations that have ended and been silent for as long
// as o says, as Delete does: short ones whole, long ones in parts, all in short
// transactions with pauses (store/README.md#q28). Pinned ones and those that another
// process is writing, or that other tables hold on to, stay (store/README.md#prune
// and #sessions-in-use). The Undo holds what is gone; nothing to do is no
// error.
func (s *Store) Prune(ctx context.Context, o model.PruneOptions) (model.Undo, error) {
	return s.trash.Prune(ctx, o)
}

// PruneGhosts removes the sessions that the terminal program opened and closed
// more than a day ago without a word or a title, with their transcript files,
// and gives how many (prune_empty_ghost_sessions). Sessions under a ghost stay
// and become roots (store/README.md#q14). Those in use by another process, and those that
// other tables hold on to, stay.
func (s *Store) PruneGhosts(ctx context.Context) (int, error) {
	return s.trash.PruneGhosts(ctx)
}

// Restore puts back what a Delete removed: every row as it was, ids, parents
// and transcript files included; the full-text index follows by itself. What
// is there already, equal, is left alone, so Restore may be called again.
//
// Up to 128 KB, counted as in Delete, come back in one transaction, whole or not at all.
// More come in parts of about 30 ms with pauses, sessions first, so that nobody
// else waits long to write; when ctx ends between two parts the error is of
// kind partly and Restore can be called again to go on.
//
// A parent that does not exist any more is left out, one that did not exist
// before either is not; a link is only put back where the child has found no
// other parent. The error is of kind
// title-in-use (Candidates names the session) or exists where another session has
// taken the title or the id: then nothing was changed.
func (s *Store) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	return s.trash.Restore(ctx, u, o)
}

// Check looks at the whole database and says what is wrong, with the remedy
// for each. It only reads, whatever it finds, and it can be cancelled. Pages,
// indexes and row numbers are checked always; that each text stands in the
// full-text index as it is written only up to 64 MB, or when thorough is set:
// that takes about 20 s a gigabyte, during which nobody can write to a file
// that is not in WAL mode.
//
// What can not be checked is itself a finding. The error is that of ctx.
func (s *Store) Check(ctx context.Context, thorough bool) (Checkup, error) {
	return s.upkeep.Check(ctx, thorough)
}

// FinalizeOrphans ends, as of now, the sessions that were begun as the
// continuation of a compressed one more than a week ago, got messages, but
// never a call of a model; their reason is "orphaned_compression". It gives
// how many (finalize_orphaned_compression_sessions).
func (s *Store) FinalizeOrphans(ctx context.Context) (int, error) {
	return s.upkeep.FinalizeOrphans(ctx)
}

// Vacuum gives the space that deleted rows have left back to the file system
// (vacuum). It needs the file for itself: the error is of [KindLocked] while
// another process, or another call of this store, has it open. The store's own
// idle connections are closed for it, so a call that comes meanwhile may find
// the file locked.
func (s *Store) Vacuum(ctx context.Context) error {
	return s.upkeep.Vacuum(ctx)
}
