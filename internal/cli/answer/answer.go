// Package answer holds what the commands print with --json. It is a contract: keys are
// added, never renamed or removed, as long as [Version] stays the same.
//
// docs/json.md and the schemas beside it are generated from these types and their
// comments: go test ./internal/docs -update. Of the tag "schema" the first part is the
// JSON type where Go's does not say it, or the name of a type of this package; with
// ",optional" a key may be missing. A struct with the field [Open] may have more keys.
package answer

import (
	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/pyjson"
)

// Version counts the changes after which a script has to be changed.
const Version = 1

// Open marks an object that may have keys beyond the documented ones.
type Open struct{}

// Row is a row of the database, or more, with its keys in order. The tag of the field
// names the type that documents it.
type Row = pyjson.Object

// Sessions is the answer of list.
type Sessions struct {
	Sessions []Row `json:"sessions" schema:"[]Session"` // one page of conversations, in the order asked for
	Total    int   `json:"total"`                       // conversations that match
	Hidden   int   `json:"hidden"`                      // matching conversations that are hidden: automation, subagents, archived
}

// Prunable is the answer of prune --dry-run.
type Prunable struct {
	Sessions []Row `json:"sessions" schema:"[]Session"` // conversations that prune would delete, or archive
	Total    int   `json:"total"`
	Messages int   `json:"messages"` // in them
	Bytes    int64 `json:"bytes"`    // of their texts
	Left     Left  `json:"left"`
}

// Left counts the conversations that are old enough for prune and stay. One that stays for
// several reasons is counted for the first of them.
type Left struct {
	Open       int `json:"open"`       // not ended
	Pinned     int `json:"pinned"`     // go with --include-pinned
	Archived   int `json:"archived"`   // go with --include-archived
	Running    int `json:"running"`    // another process works in them
	Referenced int `json:"referenced"` // rows of a newer Hermes that this program does not know refer to them
}

// Search is the answer of search.
type Search struct {
	Conversations []Row               `json:"conversations" schema:"[]Match"` // first those with all words, then the closest matches
	Total         int                 `json:"total"`                          // conversations with all words in one message
	Close         int                 `json:"close"`                          // all others
	Further       int                 `json:"further"`                        // that are much less close and left out; --further adds them
	WithoutQuotes int                 `json:"without_quotes"`                 // where a text in quotes is nowhere: what its words find
	Hidden        int                 `json:"hidden"`                         // conversations with all words that are hidden
	AtLeast       bool                `json:"at_least,omitempty"`             // there may be more than these counts, also of hidden ones: --count counts all
	ReadAs        map[string][]string `json:"read_as"`                        // for each word, the other forms and corrected spellings also searched; for two words with a space between them, their compound; for a date, the time that it names
	Explain       *Explanation        `json:"explain,omitempty"`              // with --explain
}

// Hits is the answer of search --group message.
type Hits[T any] struct {
	Hits    []T          `json:"hits" schema:"[]Hit"`
	Total   int          `json:"total"`             // messages that match
	Explain *Explanation `json:"explain,omitempty"` // with --explain
}

// Explanation says how a query was parsed and which indexes answered it.
type Explanation struct {
	Query   string            `json:"query"` // in normal form
	Groups  []ExplainedGroup  `json:"groups"`
	Filters []ExplainedFilter `json:"filters"`
	Hints   []string          `json:"hints"` // what looks like a filter or an option and is searched as text
	Route   []string          `json:"route"` // indexes and tables in the order of use; the wording may change

	// Of a search for conversations:

	Tiers   []ExplainedTier `json:"tiers,omitempty"`
	Words   []ExplainedWord `json:"words,omitempty"`   // the words that rank the closest matches
	Skipped []string        `json:"skipped,omitempty"` // function words, not used to rank them
	Dates   []ExplainedDate `json:"dates,omitempty"`
	Further int             `json:"further,omitempty"` // left out: much less close than the first
}

// ExplainedGroup is one of the alternatives of a query.
type ExplainedGroup struct {
	All  []string `json:"all"`  // its terms
	None []string `json:"none"` // its negated terms
}

// ExplainedFilter is a filter and its current meaning.
type ExplainedFilter struct {
	Filter  string `json:"filter"`
	Meaning string `json:"meaning"`
}

// ExplainedDate is a time that words of the query name. Conversations of it come first among
// equals.
type ExplainedDate struct {
	Words string `json:"words"`
	Span  string `json:"span"`
}

// ExplainedTier is a group of results: all words, or the closest matches.
type ExplainedTier struct {
	Match         string `json:"match"` // all or close
	Conversations int    `json:"conversations"`
	AtLeast       bool   `json:"at_least,omitempty"` // there may be more: --count counts all
}

// ExplainedWord says where a word occurs, and in which forms it was searched.
type ExplainedWord struct {
	Word          string          `json:"word"`
	Conversations int             `json:"conversations"` // that contain it in any form
	Forms         []string        `json:"forms,omitempty"`
	Corrected     bool            `json:"corrected,omitempty"` // the forms are corrected spellings
	Inside        bool            `json:"inside,omitempty"`    // also searched inside longer words
	English       bool            `json:"english,omitempty"`   // in no conversation, but no typing error: a word of the language
	Parts         []ExplainedWord `json:"parts,omitempty"`     // searched where few conversations, or none, have the whole word
}

// Node is the answer of lineage: a session in the tree. Counts leave out rewound
// messages, so that they add up.
type Node struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind"` // root, segment, branch or delegate
	ParentID   any     `json:"parent_id" schema:"string|null"`
	Title      any     `json:"title" schema:"string|null"`
	Preview    string  `json:"preview"`
	Source     any     `json:"source" schema:"string|null"`
	Model      any     `json:"model" schema:"string|null"`
	State      string  `json:"state"`
	Archived   bool    `json:"archived"`
	Segment    int     `json:"segment"` // its number in the conversation, from 1
	Segments   int     `json:"segments"`
	TipID      string  `json:"tip_id"` // the newest segment of the conversation
	StartedAt  any     `json:"started_at" schema:"number|null"`
	EndedAt    any     `json:"ended_at" schema:"number|null"`
	LastActive any     `json:"last_active" schema:"number|null"`
	EndReason  any     `json:"end_reason" schema:"string|null"`
	Messages   int     `json:"message_count"`
	ToolCalls  int     `json:"tool_call_count"`
	Usage      Usage   `json:"usage"`
	Total      Total   `json:"total"` // including all sessions below
	Fork       *Fork   `json:"fork"`  // null unless it is a branch
	Children   []*Node `json:"children"`
}

// Usage is tokens and cost.
type Usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Reasoning  int64 `json:"reasoning_tokens"`
	Calls      int64 `json:"api_call_count"`
	Cost       any   `json:"cost_usd" schema:"number|null"` // null if unknown
	Estimated  bool  `json:"cost_estimated"`
	Partial    bool  `json:"cost_partial"` // the cost is a lower bound
}

// UsageOf returns tokens and cost for JSON.
func UsageOf(u model.Usage) Usage {
	o := Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Reasoning: u.Reasoning, Calls: u.APICalls, Estimated: u.Cost.Estimated, Partial: u.Cost.Partial,
	}
	if u.Cost.Known {
		o.Cost = u.Cost.USD
	}
	return o
}

// Total is the sum over a session and all sessions below it.
type Total struct {
	Sessions  int `json:"sessions"`
	Messages  int `json:"message_count"`
	ToolCalls int `json:"tool_call_count"`
	Usage
}

// Fork says where a branch leaves its parent.
type Fork struct {
	SessionID string `json:"session_id"`                             // the parent
	MessageID any    `json:"message_id" schema:"integer|null"`       // the last message they have in common
	Number    int    `json:"number"`                                 // its number in the parent, from 1
	Of        int    `json:"of"`                                     // messages of the parent
	Copied    int    `json:"copied"`                                 // messages copied into the branch
	First     any    `json:"first_message_id" schema:"integer|null"` // the first message that is not a copy
}

// Files is the answer of files: what a conversation did with files, changed files
// first.
type Files struct {
	SessionID string `json:"session_id"`
	Folder    any    `json:"cwd" schema:"string|null"`
	Files     []File `json:"files"`
}

// File is what a conversation did with one file, by the arguments of its tool calls.
type File struct {
	Path    string `json:"path"`   // relative to cwd if it is inside it
	Reads   int    `json:"reads"`  // successful calls
	Writes  int    `json:"writes"` // calls that wrote the whole file
	Edits   int    `json:"edits"`  // calls that changed part of it
	Added   int    `json:"lines_added"`
	Removed int    `json:"lines_removed"`
	Failed  int    `json:"failed_calls"`
	First   int64  `json:"first_message_id"`
	Last    int64  `json:"last_message_id"` // the last message that changed it, 0 for none
}

// FilesOf returns files for JSON.
func FilesOf(c model.Conversation, all []files.File) Files {
	o := Files{SessionID: c.ID, Files: []File{}}
	if c.CWD != "" {
		o.Folder = c.CWD
	}
	for _, f := range all {
		o.Files = append(o.Files, File{f.Path, f.Reads, f.Writes, f.Edits, f.Added, f.Removed, f.Failed, f.First, f.Last})
	}
	return o
}

// Running is the answer of running: the open sessions with a message in the last day,
// most recent first.
type Running struct {
	Sessions []RunningSession `json:"sessions"`
}

// RunningSession is an open session.
type RunningSession struct {
	ID         string  `json:"id"`
	Title      any     `json:"title" schema:"string|null"`
	Preview    string  `json:"preview"`
	Source     string  `json:"source"`
	Folder     any     `json:"cwd" schema:"string|null"`
	Model      any     `json:"model" schema:"string|null"`
	State      string  `json:"state"`                       // working, compressing, waiting for the user, dead: its process is gone, or, where the file does not tell, silent: nothing was written for five minutes
	Silent     float64 `json:"silent_seconds"`              // since the last sign of life: a message, a heartbeat, the start of the turn; negative if it is in the future
	Tool       any     `json:"tool" schema:"string|null"`   // the last tool called
	Object     any     `json:"object" schema:"string|null"` // what that call works on: a file, a command, a query
	StartedAt  any     `json:"started_at" schema:"number|null"`
	LastActive any     `json:"last_active" schema:"number|null"`
	Messages   int     `json:"message_count"`
	Usage      Usage   `json:"usage"`
	Profile    string  `json:"profile,omitempty"` // profile of its database, if several are listed
}

// Stats is the answer of stats. It counts all sessions, archived ones included, and all
// messages except those that were rewound or compacted in place.
type Stats struct {
	Sessions int           `json:"sessions"`
	Messages int           `json:"messages"`
	Archived int           `json:"archived_sessions"` // of these sessions
	Inactive int           `json:"inactive_messages"` // rewound or compacted in place, not counted in messages
	Sources  []SourceStats `json:"sources"`
	Models   []ModelStats  `json:"models"`
	Total    Usage         `json:"total"`
	Bytes    int64         `json:"bytes"`     // of the file
	WALBytes int64         `json:"wal_bytes"` // of the write-ahead log
}

// SourceStats counts the sessions of one source.
type SourceStats struct {
	Source   string `json:"source"`
	Sessions int    `json:"sessions"`
	Messages int    `json:"messages"`
}

// ModelStats is the usage of one model.
type ModelStats struct {
	Model    any   `json:"model" schema:"string|null"`
	Sessions int   `json:"sessions"`
	Usage    Usage `json:"usage"`
}

// Checkup is the answer of doctor. If the file cannot be opened, unknown values are
// null.
type Checkup struct {
	Path     string    `json:"path"`
	Healthy  bool      `json:"healthy"` // no problems; there may be advice
	Version  any       `json:"schema_version" schema:"integer|null"`
	Journal  any       `json:"journal_mode" schema:"string|null"`
	Bytes    any       `json:"bytes" schema:"integer|null"`
	WALBytes any       `json:"wal_bytes" schema:"integer|null"`
	Mode     any       `json:"mode" schema:"string|null"` // permissions, such as "0600"
	Sessions any       `json:"sessions" schema:"integer|null"`
	Messages any       `json:"messages" schema:"integer|null"`
	Index    *Index    `json:"index"`
	Problems []Finding `json:"problems"`
	Advice   []Finding `json:"advice"`
}

// Index is the state of the full-text index.
type Index struct {
	Layout   string      `json:"layout"`
	Words    *IndexTable `json:"words"`
	Trigrams *IndexTable `json:"trigrams"`
	CJK      bool        `json:"cjk"`
	Stale    bool        `json:"stale"`
	Pending  int         `json:"pending"`  // messages that Hermes has not indexed yet
	Compared bool        `json:"compared"` // whether it was compared with every text
}

// IndexTable says how far a table of the index is out of date.
type IndexTable struct {
	Missing int `json:"missing"`
	Surplus int `json:"surplus"`
}

// Finding is a problem, or advice.
type Finding struct {
	Kind    string `json:"kind"`    // stable, for programs
	Message string `json:"message"` // one line, for people
	Remedy  string `json:"remedy"`  // what to do, in words; "" for nothing
	Command string `json:"command"` // the command to type; "" for none
}

// Migrated is the answer of doctor --migrate.
type Migrated struct {
	Path     string   `json:"path"`
	From     int      `json:"from"` // schema version
	To       int      `json:"to"`
	Backup   any      `json:"backup" schema:"string|null"` // a copy of the original file
	Repaired []string `json:"repaired"`
}

// Salvaged is the answer of doctor --salvage.
type Salvaged struct {
	Path     string             `json:"path"`
	Out      string             `json:"out"` // the new file
	Version  int                `json:"schema_version"`
	Sessions int                `json:"sessions"`
	Messages int                `json:"messages"`
	Whole    bool               `json:"whole"`        // nothing was lost
	Unknown  bool               `json:"lost_unknown"` // more was lost than the indexes show
	Lost     []LostConversation `json:"lost"`
	Others   []LostRows         `json:"lost_rows"` // rows of other tables
	Notes    []string           `json:"notes"`
}

// LostConversation counts the sessions and messages of a conversation that are lost.
type LostConversation struct {
	ID       string `json:"id"`
	Title    any    `json:"title" schema:"string|null"`
	Sessions int    `json:"lost_sessions"`
	Messages int    `json:"lost_messages"`
	Left     int    `json:"left_messages"`
}

// LostRows counts the rows of another table that are lost.
type LostRows struct {
	Table string `json:"table"`
	Rows  any    `json:"rows" schema:"integer|null"` // null if unknown
}

// Deleted is the answer of delete.
type Deleted struct {
	Deleted   []string `json:"deleted"`    // IDs of all deleted sessions
	Messages  int      `json:"messages"`   // deleted messages
	Delegates int      `json:"delegates"`  // how many of these sessions were subagents
	Stay      []string `json:"stay"`       // IDs of the branches and continuations that stay
	Files     int      `json:"files"`      // deleted transcript files
	FilesLeft []string `json:"files_left"` // transcript files that could not be deleted
	Backup    any      `json:"backup" schema:"string|null"`
	Complete  bool     `json:"complete"` // false if the deletion was stopped
}

// Pruned is the answer of prune.
type Pruned struct {
	Pruned   []string `json:"pruned"`   // IDs of all deleted sessions
	Archived []string `json:"archived"` // with --archive: IDs of the sessions that were archived instead
	Messages int      `json:"messages"`
	Files    int      `json:"files"`
	Backup   any      `json:"backup" schema:"string|null"`
	Left     Left     `json:"left"`
}

// Undone is the answer of undo.
type Undone struct {
	Undone   int     `json:"undone"`   // deletions that were undone, or forgotten with --forget
	Messages int     `json:"messages"` // messages in them
	Saved    []Saved `json:"saved"`    // deletions that could be undone before that, the last first
}

// Saved is a deletion that can be undone.
type Saved struct {
	Number   int      `json:"number"`                       // its name for undo
	At       any      `json:"at" schema:"number|null"`      // time of the deletion
	Until    any      `json:"until" schema:"number|null"`   // when it is forgotten; null for one that was interrupted
	State    string   `json:"state"`                        // "deleted", "delete-interrupted" or "undo-interrupted"
	Titles   []string `json:"titles"`                       // of the first few sessions that have one
	Sessions int      `json:"sessions"`                     // deleted sessions
	Messages int      `json:"messages"`                     // deleted messages
	Back     int      `json:"back"`                         // messages that are in the database again
	Bytes    int64    `json:"bytes"`                        // of the file
	File     string   `json:"file"`                         // a backup for import
	Blocked  any      `json:"blocked" schema:"string|null"` // why it cannot be undone any more
}

// Renamed is the answer of rename.
type Renamed struct {
	ID       string `json:"id"`
	Title    any    `json:"title" schema:"string|null"`
	OldTitle any    `json:"old_title" schema:"string|null"`
}

// Flagged is the answer of pin, unpin, archive and unarchive. One of the four lists
// names the conversations by the IDs of their newest segments.
type Flagged struct {
	Pinned     []string `json:"pinned,omitempty"`
	Unpinned   []string `json:"unpinned,omitempty"`
	Archived   []string `json:"archived,omitempty"`
	Unarchived []string `json:"unarchived,omitempty"`
	Changed    []string `json:"changed"` // IDs of the sessions that this changed
}

// Exported is the answer of export to a file.
type Exported struct {
	Exported int    `json:"exported"` // sessions; conversations in Markdown or HTML
	File     string `json:"file"`

	Redacted map[string]int `json:"redacted,omitempty"` // with --redact: how many were masked, by kind
}

// Imported is the answer of import.
type Imported struct {
	Imported   int       `json:"imported"`        // new sessions
	Messages   int       `json:"messages"`        // new messages
	Skipped    int       `json:"skipped"`         // sessions that already existed
	Renumbered int       `json:"renumbered"`      // messages that got new IDs
	Untitled   int       `json:"untitled"`        // sessions that lost their title because it was taken
	Unlinked   int       `json:"unlinked"`        // sessions whose parents are missing
	Unknown    []string  `json:"unknown_columns"` // columns that are not in the database
	BadLines   int       `json:"bad_lines"`
	Bad        []BadLine `json:"bad"` // the first 1,000
}

// BadLine is a line that could not be imported.
type BadLine struct {
	Line    int    `json:"line"` // counted from 1
	Message string `json:"message"`
}

// Resume is the answer of resume, which does not run the command.
type Resume struct {
	ID      string   `json:"id"`                          // the newest segment
	Command []string `json:"command"`                     // the program and its arguments
	Home    string   `json:"hermes_home,omitempty"`       // the value for HERMES_HOME
	Folder  any      `json:"folder" schema:"string|null"` // to run it in; null to stay in the current one
}

// Plugin is the answer of init plugin.
type Plugin struct {
	Folder  string `json:"folder"`  // of the plugin
	Program string `json:"program"` // the program that the plugin runs
}

// Config is the answer of config.
type Config struct {
	File   string `json:"file"`   // the settings file
	Exists bool   `json:"exists"` // it is there
}

// Build is the answer of version.
type Build struct {
	Version string `json:"version"`
	Commit  any    `json:"commit" schema:"string|null"`
	Date    any    `json:"date" schema:"string|null"` // of the commit
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	JSON    int    `json:"json"` // version of this contract
}

// Info is the answer of info. Nothing in it is from a conversation.
type Info struct {
	Build    Build    `json:"build"`
	Settings any      `json:"settings" schema:"string|null"` // the settings file that was read
	State    any      `json:"state" schema:"string|null"`    // the folder of this program's own files
	Database any      `json:"database" schema:"string|null"` // its file, or "demo"
	Schema   int      `json:"schema"`                        // of the database, 0 where it cannot be read
	Journal  string   `json:"journal"`                       // its journal mode
	Bytes    int64    `json:"bytes"`                         // of its file and its write-ahead log
	Profile  any      `json:"profile" schema:"string|null"`  // of the database
	Profiles []string `json:"profiles"`                      // of the home
	Hermes   any      `json:"hermes" schema:"string|null"`   // the program that resumes
	Terminal Terminal `json:"terminal"`
	Problems []string `json:"problems"` // what could not be read
}

// Terminal is what the environment says of a terminal.
type Terminal struct {
	Name    any    `json:"name" schema:"string|null"`    // TERM
	Program any    `json:"program" schema:"string|null"` // with its version
	Columns int    `json:"columns"`                      // 0 where standard input is no terminal
	Lines   int    `json:"lines"`
	Colors  string `json:"colors"` // truecolor, ansi256, ansi, ascii or notty
	Unicode bool   `json:"unicode"`
	Tmux    bool   `json:"tmux"`
	SSH     bool   `json:"ssh"`
}

// Failure is the line on standard error when a command fails.
type Failure struct {
	Error Problem `json:"error"`
}

// Note is a note on standard error.
type Note struct {
	Note Problem `json:"note"`
}

// Problem is an error or a note.
type Problem struct {
	Finding
	Candidates []Candidate `json:"candidates,omitempty"` // the sessions that an unknown or ambiguous name could mean
}

// Candidate is a session that a name could mean.
type Candidate struct {
	ID    string `json:"id"`
	Title any    `json:"title" schema:"string|null"`
}
